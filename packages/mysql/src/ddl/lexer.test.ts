import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lexer } from './lexer.ts'
import type { DdlOptions } from './options.ts'

const MYSQL: DdlOptions = { flavor: 'mysql', serverVersion: 90_704, ansiQuotes: false }

function tokens(sql: string, options: Partial<DdlOptions> = {}): string[] {
  const lexer = new Lexer(sql, { ...MYSQL, ...options })
  const found: string[] = []
  for (let token = lexer.next(); token.kind !== 'end'; token = lexer.next()) found.push(`${token.kind} ${token.value}`)
  return found
}

const cases: readonly (readonly [what: string, sql: string, expected: readonly string[]])[] = [
  [
    'words may start with digits and contain $ _ and any character from U+0080',
    '1st a$b _c 漢字 ünï',
    ['word 1st', 'word a$b', 'word _c', 'word 漢字', 'word ünï'],
  ],
  ['MySQL stores names without characters above U+FFFF', "`a😀漢` b😀 '😀'", ['name a?漢', 'word b?', 'string 😀']],
  ['backquoted names contain doubled quotes', '`a``b` `c d`', ['name a`b', 'name c d']],
  [
    'strings contain doubled quotes and escapes',
    `'it''s' 'a\\nb' "dq""x" '\\%\\_\\x'`,
    ["string it's", 'string a\nb', 'string dq"x', 'string \\%\\_x'],
  ],
  [
    'prefixed literals',
    `N'n' x'4a' X'' b'01' B'1' 0x1F 0b101`,
    ['string n', 'hex 4a', 'hex ', 'bits 01', 'bits 1', 'hex 1F', 'bits 101'],
  ],
  [
    'upper-case prefixes and invalid digits make names',
    '0X1F 0B1 0xZZ 0b12 0x',
    ['word 0X1F', 'word 0B1', 'word 0xZZ', 'word 0b12', 'word 0x'],
  ],
  [
    'numbers',
    '1 1.5 .5 5. 1e3 1.5E-3 1e+2',
    ['number 1', 'number 1.5', 'number .5', 'number 5.', 'number 1e3', 'number 1.5E-3', 'number 1e+2'],
  ],
  ['an exponent needs digits', '1e 1ex 2e+', ['word 1e', 'word 1ex', 'word 2e', 'symbol +']],
  [
    'a dot after a name separates names',
    'db.1st `d`.2 a . b',
    ['word db', 'symbol .', 'word 1st', 'name d', 'symbol .', 'word 2', 'word a', 'symbol .', 'word b'],
  ],
  ['comments are skipped', 'a -- b\nc # d\ne /* f */ g --\nh', ['word a', 'word c', 'word e', 'word g', 'word h']],
  ['two dashes without a blank are minus signs', '5--3', ['number 5', 'symbol -', 'symbol -', 'number 3']],
  [
    'executed comments are read, others are skipped',
    'a /*!50100 b */ /*!99999 c */ /*M! d */ /*+ e */ f',
    ['word a', 'word b', 'word f'],
  ],
  ['comments do not end strings', `'/* a */' '-- b' "# c"`, ['string /* a */', 'string -- b', 'string # c']],
  ['a plain comment in an executed one', '/*! a /* b */ c */ d', ['word a', 'word c', 'word d']],
  ['an unclosed string is a symbol', "a 'bc", ['word a', "symbol '"]],
  ['an unclosed comment ends with the text', 'a /* b', ['word a']],
  [
    'user variables',
    "@a @@b 'r'@'h'",
    ['symbol @', 'word a', 'symbol @', 'symbol @', 'word b', 'string r', 'symbol @', 'string h'],
  ],
]

for (const [what, sql, expected] of cases) {
  test(`lexer: ${what}`, () => assert.deepEqual(tokens(sql), expected))
}

test('lexer: with ANSI_QUOTES double quotes enclose names, in which a backslash is no escape', () => {
  assert.deepEqual(tokens(`"a""b" "c\\d" 'e'`, { ansiQuotes: true }), ['name a"b', 'name c\\d', 'string e'])
})

test('lexer: with NO_BACKSLASH_ESCAPES a backslash is no escape', () => {
  assert.deepEqual(tokens(`'a\\' 'b'`, { noBackslashEscapes: true }), ['string a\\', 'string b'])
})

test('lexer: keywords are the upper case of unquoted words only', () => {
  const lexer = new Lexer('select `select` ( x', MYSQL)
  assert.deepEqual([lexer.next().keyword, lexer.next().keyword, lexer.next().keyword], ['SELECT', '', '('])
})
