import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JavaPatterns } from './java-patterns.ts'
import { compareWithJava } from './testing/compare-with-java.ts'

// The full tier compares all.
for (const ignoresCase of [true, false]) {
  test(`patterns match the names that Java matches, or are refused (ignores case: ${ignoresCase})`, () => {
    assert.ok(compareWithJava({ ignoresCase, every: 10 }) > 100)
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
