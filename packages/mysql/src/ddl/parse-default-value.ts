import { unreachable } from '@tributary/support'
import { charsetEncoder } from '../types/charset-encoder.ts'
import { charsetNamed } from '../types/charset.ts'
import { canonicalCharset } from '../types/collations.ts'
import type { DefaultValue } from './statement.ts'
import { hexOfBits } from './bit-literal.ts'
import type { TokenKind } from './token.ts'
import type { TokenReader } from './token-reader.ts'

const NOW: readonly string[] = ['CURRENT_TIMESTAMP', 'NOW', 'LOCALTIME', 'LOCALTIMESTAMP']
/** What a charset introducer may precede. */
const LITERALS: ReadonlySet<TokenKind> = new Set<TokenKind>(['string', 'hex', 'bits'])
const TEMPORAL: readonly string[] = ['DATE', 'TIME', 'TIMESTAMP']

/** More signs and parentheses than a statement needs; each is a call. */
const DEPTH_MAX = 100

/**
 * Parses what follows DEFAULT:
 *
 *     [+|-] number | string | hex | bits | TRUE | FALSE | NULL | now [(n)] | (expression)
 *     MariaDB also: function(…), NEXT VALUE FOR sequence, CASE … END, column
 */
export function parseDefaultValue(reader: TokenReader, depth = 0): DefaultValue {
  if (depth > DEPTH_MAX) reader.fail(`a default value with at most ${DEPTH_MAX} signs and parentheses`)
  const token = reader.peek()
  switch (token.kind) {
    case 'string':
      return stringOrNull(reader)
    case 'number':
      reader.skip()
      return { tag: 'number', text: token.value }
    case 'hex':
      reader.skip()
      return { tag: 'hex', digits: token.value, charset: null }
    case 'bits':
      reader.skip()
      return { tag: 'bits', digits: token.value }
    case 'symbol':
      return parseSigned(reader, depth + 1)
    case 'word':
      return parseWord(reader)
    case 'name':
      return parseExpression(reader)
    case 'end':
      return reader.fail('a default value')
    default:
      return unreachable(token.kind)
  }
}

function stringOrNull(reader: TokenReader): DefaultValue {
  const value = reader.string('a string')
  const isNull = value === '' && reader.options.flavor === 'mariadb' && reader.options.emptyStringIsNull === true
  return isNull ? { tag: 'null' } : { tag: 'string', value }
}

function parseSigned(reader: TokenReader, depth: number): DefaultValue {
  if (reader.is('(')) return parseParentheses(reader, depth)
  if (reader.accept('{')) return parseOdbcLiteral(reader)
  const sign = reader.acceptAny('+', '-')
  if (sign === null) reader.fail('a default value')
  const value = parseDefaultValue(reader, depth)
  return value.tag === 'number' ? { tag: 'number', text: sign + value.text } : { tag: 'expression' }
}

/** `{d '2020-01-01'}`, `{t …}`, `{ts …}` */
function parseOdbcLiteral(reader: TokenReader): DefaultValue {
  reader.name('d, t or ts')
  const value = reader.string('a string')
  reader.expect('}')
  return { tag: 'string', value }
}

/** MySQL evaluates a default in parentheses for each row. MariaDB takes a literal in parentheses for a literal. */
function parseParentheses(reader: TokenReader, depth: number): DefaultValue {
  const { kind, keyword } = reader.peek(1)
  const mayBeLiteral = kind !== 'symbol' || keyword === '(' || keyword === '-' || keyword === '+'
  if (reader.options.flavor === 'mysql' || !mayBeLiteral) {
    reader.skipParentheses()
    return { tag: 'expression' }
  }
  reader.expect('(')
  const value = parseDefaultValue(reader, depth)
  if (reader.accept(')')) return value
  reader.skipUntil()
  reader.expect(')')
  return { tag: 'expression' }
}

function parseWord(reader: TokenReader): DefaultValue {
  const { keyword } = reader.peek()
  const following = reader.peek(1)
  if (reader.accept('NULL')) return { tag: 'null' }
  if (reader.accept('TRUE')) return { tag: 'boolean', value: true }
  if (reader.accept('FALSE')) return { tag: 'boolean', value: false }
  if (NOW.includes(keyword)) {
    reader.skip()
    if (reader.is('(')) reader.skipParentheses()
    return { tag: 'now' }
  }
  if (TEMPORAL.includes(keyword) && following.kind === 'string') {
    reader.skip()
    return { tag: 'string', value: reader.string('a string') }
  }
  if (keyword.startsWith('_') && LITERALS.has(following.kind)) return parseIntroduced(reader)
  return parseExpression(reader)
}

/** `_latin1'x'`, `_latin1 X'E9'`, `_latin1 b'1000001'`; `_binary` is no charset of its own. */
function parseIntroduced(reader: TokenReader): DefaultValue {
  const name = reader.next().value.slice(1).toLowerCase()
  const charset = name === 'binary' ? null : name
  const { kind, value: digits } = reader.peek()
  if (kind !== 'string') {
    reader.skip()
    return { tag: 'hex', digits: kind === 'hex' ? digits : hexOfBits(digits), charset }
  }
  const value = reader.string('a string')
  return charset === null ? { tag: 'string', value } : introducedText(reader, charset, value)
}

/**
 * An introducer takes the bytes of the literal, which are in the charset of the statement, for those of another charset:
 * in a statement in utf8mb4, `_latin1'é'` is `Ã©`.
 */
function introducedText(reader: TokenReader, charset: string, value: string): DefaultValue {
  const client = canonicalCharset(reader.options.clientCharset ?? 'utf8mb4')
  if (canonicalCharset(charset) === client) return { tag: 'string', value }
  const bytes = charsetEncoder(client)?.(value) ?? null
  if (bytes === null) return reader.fail(`a literal whose bytes are known, after _${charset}`)
  const isSame = charsetNamed(charset)?.decode(bytes, 0, bytes.length) === value
  return isSame ? { tag: 'string', value } : { tag: 'hex', digits: bytes.toString('hex'), charset }
}

function parseExpression(reader: TokenReader): DefaultValue {
  if (reader.accept('CASE')) {
    skipCase(reader)
  } else if (reader.acceptAny('NEXT', 'PREVIOUS') !== null && reader.accept('VALUE', 'FOR')) {
    reader.tableName()
  } else {
    if (!reader.is('(')) reader.columnName()
    while (reader.is('(')) reader.skipParentheses()
  }
  return { tag: 'expression' }
}

/** Skips to the END of a CASE, which may contain others. */
function skipCase(reader: TokenReader): void {
  for (let depth = 1; depth > 0;) {
    if (reader.isAtEnd) reader.fail('END')
    const { keyword } = reader.next()
    if (keyword === 'CASE') depth++
    else if (keyword === 'END') depth--
  }
}
