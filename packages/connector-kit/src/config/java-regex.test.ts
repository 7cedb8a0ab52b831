import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { translateJavaRegex } from './java-regex.ts'

/** A pattern with the names that Java matches, or null; the last line is all names (fixtures/java-regex/README.md). */
const lines = readFileSync(new URL('../../fixtures/java-regex/vectors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): unknown => JSON.parse(line))
const names = lines.at(-1) as readonly string[]
const vectors = lines.slice(0, -1) as readonly (readonly [pattern: string, matched: readonly string[] | null])[]

/** Java accepts these; we refuse them. */
const REFUSED_HERE: ReadonlySet<string> = new Set(['[a-z&&[^b]]', 'a++', '(?>a|ab)', String.raw`\h`, '[[ab]]', ']'])

function matched(pattern: string): readonly string[] | null {
  try {
    const regex = new RegExp(`^(?:${translateJavaRegex(pattern)})$`, 'iu')
    return names.filter((name) => regex.test(name))
  } catch (error) {
    assert.ok(error instanceof SyntaxError)
    return null
  }
}

test('a pattern matches the names that Java matches, and is refused where Java refuses it', () => {
  assert.ok(vectors.length > 60)
  for (const [pattern, expected] of vectors) {
    assert.deepEqual(matched(pattern), REFUSED_HERE.has(pattern) ? null : expected, pattern)
  }
})
