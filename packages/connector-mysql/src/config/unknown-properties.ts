import { NAMED_COLUMN_PROPERTY } from './column-keys.ts'
import { laterProperties } from './later-keys.ts'

export interface UnknownProperty {
  readonly name: string
  /** The property that was probably intended. */
  readonly suggestion: string | null
}

/** Properties that no component reads: a misspelt filter would otherwise capture every table without a warning. */
export function unknownProperties(
  config: Readonly<Record<string, string>>,
  known: readonly string[],
): readonly UnknownProperty[] {
  const later = [...laterProperties.refused, ...laterProperties.ignored]
  return Object.keys(config)
    .filter((name) => !known.includes(name) && !OTHERS.test(name))
    .filter((name) => !NAMED_COLUMN_PROPERTY.test(name))
    .filter((name) => !later.some(({ matches }) => matches.test(name)))
    .map((name) => ({ name, suggestion: nearest(name, known) }))
}

/**
 * Properties of the runtime, its converters and clients, and the schema history's clients. A check reports time zones.
 */
const OTHERS =
  /^((name|connector\.class|task\.class|connector\.plugin\.version|tasks\.max(\.enforce)?|config\.action\.reload|exactly\.once\.support|offsets\.storage\.topic|database\.(connectionTimeZone|serverTimezone)|driver\.(connectionTimeZone|allowPublicKeyRetrieval))$|((key|value|header)\.converter|transforms|predicates)(\.|$)|(errors|topic\.creation|transaction\.boundary|(producer|consumer|admin)\.override|schema\.history\.internal|internal)\.)/

function nearest(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map((other) => ({ other, distance: editDistance(name, other) }))
    .filter(({ distance }) => distance <= DISTANCE_MAX)
    .toSorted((a, b) => a.distance - b.distance)
  return best?.other ?? null
}

/** One extra letter, one missing letter, or two swapped letters. */
const DISTANCE_MAX = 2

/** Levenshtein distance: the number of letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
