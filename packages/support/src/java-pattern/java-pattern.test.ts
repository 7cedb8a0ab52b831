import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { JavaPattern } from './java-pattern.ts'

type Vector = readonly [
  pattern: string,
  replacement: string,
  text: string,
  groups: readonly (string | null)[] | null,
  first: string | null,
  all: string | null,
  isFound: boolean,
]

/** What Java makes of each (ReplacementOracle.java). */
const vectors = readFileSync(new URL('../../fixtures/java-pattern/replacements.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector)

test('groups are those of Java', () => {
  for (const [pattern, , text, groups, , , isFound] of vectors) {
    const compiled = new JavaPattern(pattern)
    assert.deepEqual(compiled.groups(text), groups, `${pattern} in '${text}'`)
    assert.equal(compiled.matches(text), groups !== null)
    assert.equal(compiled.isFoundIn(text), isFound, `${pattern} in '${text}'`)
  }
})

test('replacements are those of Java; what Java refuses for a match is refused when it is written', () => {
  let replaced = 0
  for (const [pattern, replacement, text, , first, all, isFound] of vectors) {
    const compiled = new JavaPattern(pattern)
    if (first === null) {
      assert.throws(() => compiled.replacement(replacement), SyntaxError, `${replacement} for ${pattern}`)
      continue
    }
    // Java reads the replacement only when the pattern matches.
    if (!isFound && isRefused(compiled, replacement)) continue
    const compiledReplacement = compiled.replacement(replacement)
    assert.equal(compiledReplacement.replaceFirst(text), first, `${pattern} → ${replacement} in '${text}'`)
    assert.equal(compiledReplacement.replaceAll(text), all, `${pattern} → ${replacement} in '${text}'`)
    replaced += 1
  }
  assert.ok(replaced > 3_000, `${replaced} replacements compared`)
})

function isRefused(compiled: JavaPattern, replacement: string): boolean {
  try {
    compiled.replacement(replacement)
    return false
  } catch {
    return true
  }
}

test('a pattern of nested quantifiers takes linear time', () => {
  assert.equal(new JavaPattern('([a-z_0-9]+)+Z').matches('x'.repeat(10_000)), false)
})
