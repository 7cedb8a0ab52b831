import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SourceRecord } from '@tributary/connect-api'
import { plainText } from '@tributary/testkit'
import { eventRecords } from '../../fixtures/expression-records.ts'
import { readRecord } from '../testing/record-notation.ts'
import { EvaluationError, ExpressionSyntaxError } from './expression-error.ts'
import { Expression } from './expression.ts'
import type { Language } from './language.ts'

const [created] = eventRecords.map((notation) => readRecord(notation, plainText))

function record(): SourceRecord {
  assert.ok(created !== undefined)
  return created
}

/** The message of the refusal. */
function refusal(source: string, language: Language): string {
  try {
    void new Expression(source, language)
  } catch (error) {
    assert.ok(error instanceof ExpressionSyntaxError, String(error))
    return error.message
  }
  return 'accepted'
}

/** What is refused, in which language, with the place (from 1) and what to write instead. */
const REFUSED: readonly (readonly [source: string, language: Language, at: number, remedy: RegExp])[] = [
  ["value.op = 'u'", 'groovy', 10, /Write == to compare/],
  ['value.op == c', 'groovy', 13, /no variable c\..*quote a text/],
  ["value.op == 'u' and true", 'groovy', 17, /Write &&/],
  ["value.op == 'u' & true", 'groovy', 17, /Write &&/],
  ["if (value.op == 'u') 'a' else 'b'", 'groovy', 1, /condition \? yes : no/],
  ['def x = 1', 'groovy', 7, /changes nothing/],
  ["value.op == 'u'; true", 'groovy', 16, /Write one expression/],
  ["['a'].any { it == value.op }", 'groovy', 11, /Closures and blocks/],
  ["['a'].any(1)", 'groovy', 7, /Closures are not supported/],
  ['new Date()', 'groovy', 1, /Write a literal/],
  ['value.op as String', 'groovy', 10, /Remove the conversion/],
  ['value.op instanceof String', 'groovy', 10, /Compare with null/],
  ['value.after.values', 'groovy', 13, /get\('values'\)/],
  ['value.source.schema', 'groovy', 14, /get\('schema'\)/],
  ['value.class', 'groovy', 7, /get\('class'\)/],
  ["value.op === 'u'", 'groovy', 10, /Write ==/],
  ['2 ** 999999999', 'groovy', 3, /Write the multiplication/],
  ['1..1000000000', 'groovy', 2, /Ranges are not supported/],
  ['value.op.execute()', 'groovy', 10, /The methods are/],
  ["Runtime.getRuntime().exec('x')", 'groovy', 1, /no variable Runtime/],
  ['java.lang.System.exit(1)', 'groovy', 1, /no variable java/],
  ['value.op ==~ value.after.name', 'groovy', 14, /single quotes/],
  ['value.op.matches(value.after.name)', 'groovy', 18, /in quotes/],
  ["value.op ==~ '('", 'groovy', 14, /\(/],
  ["value.op ==~ '(?=a)b'", 'groovy', 14, /\(\?=/],
  ["value.op.split('a+')", 'groovy', 10, /Split by one character/],
  ["'a\\.b'", 'groovy', 3, /\\\\\./],
  ['"a$ b"', 'groovy', 3, /single quotes/],
  ['value.op == "a', 'groovy', 13, /Close it with "/],
  ["value.op in 'cu'", 'groovy', 10, /contains/],
  ["value.op.contains('c', 'u')", 'groovy', 10, /2 arguments instead of 1/],
  ["value.op == 'c'\n- 1", 'groovy', 17, /Move it to the end of the line above/],
  ['', 'groovy', 1, /empty/],
  ['(value.op', 'groovy', 10, /\) is expected/],
  ['[a: 1]', 'groovy', 2, /no variable a/],
  ['value.op.contains', 'javascript', 0, /accepted/],
  ["value.op.contains('c')", 'javascript', 10, /Write includes/],
  ["value.op.equals('c')", 'javascript', 10, /Write ===/],
  ["value.op in ['c', 'u']", 'javascript', 10, /includes\(value\)/],
  ["value.op ==~ 'c'", 'javascript', 10, /\.test\(text\)/],
  ["value.op ?: 'c'", 'javascript', 10, /Write \?\? or \|\|/],
  ['[1].some(x => x)', 'javascript', 12, /Functions are not supported/],
  ["typeof value.op == 'string'", 'javascript', 1, /Compare with null/],
  ["eval('1')", 'javascript', 1, /eval is not supported/],
  ['value.constructor.constructor("return process")', 'javascript', 19, /The methods are/],
  ['/(a)\\1/.test(topic)', 'javascript', 1, /\\1 is not supported/],
  ['/(?<=a)b/.test(topic)', 'javascript', 1, /\(\?</],
  ['/a/gm.test(topic)', 'javascript', 1, /flags gm/],
  ['1 ?? 2 || 3', 'javascript', 8, /parentheses/],
  ['10n', 'javascript', 1, /Write only its digits/],
  ['`${{}}`', 'javascript', 4, /brace/],
]

for (const [source, language, at, remedy] of REFUSED) {
  test(`${language}: ${JSON.stringify(source)} is refused with its place`, () => {
    const message = refusal(source, language)
    assert.match(message, remedy)
    if (at > 0) assert.ok(message.startsWith(`at character ${at},`), message)
  })
}

/** Bounded: each of these would take minutes, or the whole memory, if nothing limited it. */
const HOSTILE: readonly (readonly [name: string, source: string, language: Language, outcome: RegExp])[] = [
  ['parentheses', '('.repeat(40_000) + '1' + ')'.repeat(40_000), 'groovy', /nested deeper than 250/],
  ['too many parentheses', '('.repeat(100_000) + '1' + ')'.repeat(100_000), 'groovy', /longer than 100000 characters/],
  ['negations', `${'!'.repeat(90_000)}true`, 'javascript', /nested deeper than 250/],
  ['lists', '['.repeat(50_000), 'groovy', /nested deeper than 250/],
  ['conditionals', `${'1 ? 2 : '.repeat(10_000)}3`, 'groovy', /nested deeper than 250/],
  ['sums', `1${' + 1'.repeat(20_000)}`, 'groovy', /nested deeper than 250/],
  ['a literal of a megabyte', `'${'a'.repeat(1_000_000)}'`, 'groovy', /longer than 100000 characters/],
  ['digits', '9'.repeat(90_000), 'groovy', /more than 1000 digits/],
  ['an exponent', '1e999999999 + 1', 'groovy', /beyond ±400/],
  ['a comment without an end', '/*'.repeat(40_000), 'groovy', /no end/],
  ['insertions in insertions', '"${'.repeat(30_000), 'groovy', /brace|no end/],
  ['a pattern that counts', "topic ==~ '((a{1000}){1000}){1000}'", 'groovy', /not supported/],
  ['a large pattern', `topic ==~ '${'\\\\pL{1000}'.repeat(9_000)}'`, 'groovy', /too large/],
  [
    'many patterns',
    Array.from({ length: 3_000 }, (_, i) => `topic ==~ '\\\\pL{999}${i}'`).join('||'),
    'groovy',
    /more than 250000 instructions/,
  ],
]

for (const [name, source, language, outcome] of HOSTILE) {
  test(`hostile ${name}: refused in bounded time`, { timeout: 20_000 }, () => {
    assert.match(refusal(source, language), outcome)
  })
}

test('many alternatives are flat, and evaluated', () => {
  const source = Array.from({ length: 5_000 }, (_, i) => `key.id==${i}`).join('||')
  assert.equal(new Expression(source, 'groovy').evaluate(record()), true)
})

test('a long chain of accesses is evaluated without recursion', () => {
  const source = `value${'?.nope'.repeat(10_000)}`
  assert.equal(new Expression(source, 'javascript').evaluate(record()), undefined)
})

test('catastrophic patterns match in linear time', { timeout: 20_000 }, () => {
  const text = `${'a'.repeat(50_000)}!`
  assert.equal(new Expression(`'${text}' ==~ '(a+)+Z'`, 'groovy').evaluate(record()), false)
  assert.equal(new Expression(`/^(a+)+Z$/.test('${text}')`, 'javascript').evaluate(record()), false)
})

test('a large pattern on a long text exceeds what a record may take', { timeout: 20_000 }, () => {
  const expression = new Expression(`'${'a'.repeat(60_000)}' ==~ '(a?){1000}(b?){1000}(c?){1000}'`, 'groovy')
  assert.throws(() => expression.evaluate(record()), hasReason(/more than 33554432 characters/))
})

test('texts cannot grow without a bound', { timeout: 20_000 }, () => {
  // Each level inserts 30,000 characters for each character: the third would have 27 × 10^12.
  const replaced = ".replaceAll('a', '" + 'a'.repeat(20_000) + "')"
  const groovy = new Expression(`'aaaa'${replaced.repeat(4)}`, 'groovy')
  assert.throws(() => groovy.evaluate(record()), hasReason(/more than 33554432 characters/))
  const javascript = new Expression(`'aaaa'${replaced.repeat(4)}`, 'javascript')
  assert.throws(() => javascript.evaluate(record()), hasReason(/more than 33554432 characters/))
})

test('numbers cannot grow without a bound', { timeout: 20_000 }, () => {
  const factor = '1e400'
  const expression = new Expression(Array.from({ length: 200 }, () => factor).join(' * '), 'groovy')
  assert.throws(() => expression.evaluate(record()), hasReason(/more than 10000 digits/))
  assert.equal(new Expression('1e400 * 1e-400 == 1', 'groovy').evaluate(record()), true)
})

test('a failure names the place of the operation', () => {
  const source = "value.op == 'c' && value.after.nope.length() > 1"
  const expression = new Expression(source, 'groovy')
  assert.throws(() => expression.evaluate(record()), hasReason(/nope is not a valid field name/))
  assert.equal(expression.failedAt, source.indexOf('nope'))
})

function hasReason(reason: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof EvaluationError && reason.test(error.message)
}
