import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { JavaPatterns } from '../java-patterns.ts'

type Matched = readonly number[] | null

/** A pattern with the numbers of the names that Java matches; the last line has all names (RegexOracle.java). */
const lines = readFileSync(new URL('../../../fixtures/java-pattern/vectors.jsonl', import.meta.url), 'utf8')
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

/** Compares each vector whose number is a multiple of `every`, and returns how many patterns were accepted by both. */
export function compareWithJava({ ignoresCase, every }: { ignoresCase: boolean; every: number }): number {
  let accepted = 0
  const differences: unknown[] = []
  for (const [pattern, inAnyCase, exactly] of vectors.filter((_, index) => index % every === 0)) {
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
  return accepted
}
