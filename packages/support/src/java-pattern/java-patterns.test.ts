import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { JavaPatterns } from './java-patterns.ts'

type Matched = readonly number[] | null

/** A pattern with the numbers of the names that Java matches; the last line has all names (RegexOracle.java). */
const lines = readFileSync(new URL('../../fixtures/java-pattern/vectors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): unknown => JSON.parse(line))
const names = lines.at(-1) as readonly string[]
const vectors = lines.slice(0, -1) as readonly (readonly [pattern: string, inAnyCase: Matched, exactly: Matched])[]

/** Names that a pattern treats otherwise here, for a documented reason (translate-pattern.ts). */
function isComparable(pattern: string, name: string): boolean {
  if (/\\b/i.test(pattern) && /[^\p{ASCII}]/u.test(name)) return false
  if (/\$|\\Z/.test(pattern) && /[\n\r\u0085\u2028]$/.test(name)) return false
  return !(pattern.includes('(?iu)') && /[\u0130\u0131]/.test(name))
}

interface Outcome {
  readonly matched: Matched
  readonly refusal: string
}

function tryPattern(pattern: string, ignoresCase: boolean): Outcome {
  try {
    const compiled = new JavaPatterns([pattern], { ignoresCase })
    return { matched: names.flatMap((name, index) => (compiled.matches(name) ? [index] : [])), refusal: '' }
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error))
    return { matched: null, refusal: error.message }
  }
}

for (const ignoresCase of [true, false]) {
  test(`each pattern matches the names that Java matches, or is refused (ignores case: ${ignoresCase})`, () => {
    let accepted = 0
    const differences: unknown[] = []
    for (const [pattern, inAnyCase, exactly] of vectors) {
      const expected = ignoresCase ? inAnyCase : exactly
      const { matched, refusal } = tryPattern(pattern, ignoresCase)
      if (expected !== null && /not supported/.test(refusal)) continue
      if (expected !== null) accepted += 1
      const [ours, theirs] = [matched, expected].map((numbers) =>
        numbers?.map((number) => names[number] ?? '').filter((name) => isComparable(pattern, name)),
      )
      if (JSON.stringify(ours) !== JSON.stringify(theirs)) differences.push({ pattern, refusal, ours, theirs })
    }
    assert.deepEqual(differences, [])
    assert.ok(accepted > 1_000, `${accepted} patterns compared`)
  })
}

test('several patterns match what one of them matches; without patterns nothing matches', () => {
  assert.equal(new JavaPatterns([]).matches(''), false)

  const patterns = new JavaPatterns(['a|b', 'c.*', '(?s)d.e'], { ignoresCase: true })
  const matched = ['A', 'b', 'cX', 'd\ne', 'c\n', 'ab', ''].filter((text) => patterns.matches(text))
  assert.deepEqual(matched, ['A', 'b', 'cX', 'd\ne'])
})

test('the numbers of all patterns that match are returned in order', () => {
  const patterns = new JavaPatterns(['x', 'ab?', 'b', '.*b'])
  assert.deepEqual(
    ['ab', 'a', 'b', 'c'].map((text) => patterns.matching(text)),
    [[1, 3], [1], [2, 3], []],
  )
})

test('the flags of a pattern do not apply to the next one', () => {
  const patterns = new JavaPatterns(['(?i)a', 'b'])
  assert.deepEqual(
    ['A', 'b', 'B'].map((text) => patterns.matches(text)),
    [true, true, false],
  )
})

test('patterns that take a backtracking engine years end at once', () => {
  const patterns = [
    String.raw`d4\.([a-z_0-9]+)+Z`,
    '([a-z0-9_.]*)*Q',
    '(a|aa)+$',
    '(.*)*(.*)*(.*)*x',
    '(?:a?){500}a{500}',
  ]
  const compiled = new JavaPatterns(patterns, { ignoresCase: true })
  assert.equal(compiled.matches(`d4.${'a'.repeat(5_000)}!`), false)
  assert.equal(compiled.matches(`d4.${'a'.repeat(5_000)}z`), true)
})

const refusals: readonly (readonly [pattern: string, message: string])[] = [
  ['a(?!b).*', "A negative look-ahead (?!, which is not supported, at character 4 of 'a(?!b).*'"],
  ['(?<=a)b', "A look-behind (?<=, which is not supported, at character 4 of '(?<=a)b'"],
  [String.raw`(a)\1`, String.raw`A back reference, which is not supported, at character 5 of '(a)\1'`],
  ['a++', "A possessive quantifier, which is not supported, at character 2 of 'a++'"],
  ['a(b', "A group without its end ) at character 3 of 'a(b'"],
  ['[a', "A character class without its end ] at character 2 of '[a'"],
  ['a{1001}', "'a{1001}' is not supported: invalid repeat count: `{1001}`"],
  ['(?:(?:a{100}){100}){100}', "'(?:(?:a{100}){100}){100}' is not supported: invalid repeat count: `{100}`"],
]
for (const [pattern, message] of refusals) {
  test(`the refusal of ${pattern} names the pattern and the place`, () => {
    assert.throws(() => new JavaPatterns(['fine', pattern]), { name: 'SyntaxError', message })
  })
}

test('patterns that are too long, too large or nested too deep are refused before they take time or stack', () => {
  assert.throws(() => new JavaPatterns(['a'.repeat(1_000_001)]), /1000001 characters are more than 1000000/)
  assert.throws(
    () => new JavaPatterns(Array<string>(400).fill('[ab]{999}')),
    /^SyntaxError: up to '\[ab\]\{999\}' it takes \d+ instructions, more than 250000$/,
  )
  assert.throws(() => new JavaPatterns(['('.repeat(100_000)]), /Groups nested more than 200 deep/)
  assert.throws(() => new JavaPatterns(['['.repeat(100_000)]), /Classes nested more than 200 deep/)
})

test('names match what the same patterns match as regular expressions of RE2', () => {
  const lists = [['inventory'], ['Shop.Orders', 'a-b', ''], [String.raw`shop\.orders`, 'x.', '...'], ['K', 'ss', 'i']]
  const texts = [
    'inventory',
    'INVENTORY',
    'inventory2',
    '',
    'shop.orders',
    'SHOP.ORDERS',
    'shopXorders',
    'shop.orders.x',
    'a-b',
    'x\n',
    'x',
    'x\u2028',
    'xy',
    'x😀',
    '😀..',
    'abc',
    'ab',
    'K',
    'k',
    'ſs',
    'ı',
    'I',
  ]
  for (const ignoresCase of [true, false]) {
    for (const patterns of lists) {
      // A group makes them more than names.
      const asExpressions = new JavaPatterns(
        patterns.map((pattern) => `(?:${pattern})`),
        { ignoresCase },
      )
      const asNames = new JavaPatterns(patterns, { ignoresCase })
      for (const text of texts) {
        assert.deepEqual(asNames.matching(text), asExpressions.matching(text), `${patterns.join()} on ${text}`)
        assert.equal(asNames.matches(text), asExpressions.matches(text))
      }
    }
  }
})

test('a name that is too long for any engine is refused when it is read, not when it is first compared', () => {
  assert.throws(() => new JavaPatterns(['.'.repeat(900_000)], { ignoresCase: true }), SyntaxError)
  assert.equal(new JavaPatterns(['a'.repeat(2_000)]).matches('a'.repeat(2_000)), true)
})
