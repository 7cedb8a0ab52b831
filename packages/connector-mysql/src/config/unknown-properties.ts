import { laterProperties } from './later-keys.ts'

export interface UnknownProperty {
  readonly name: string
  /** The property that was probably meant. */
  readonly suggestion: string | null
}

/** Properties that nobody reads: a misspelt filter would capture every table, and nobody would be told. */
export function unknownProperties(
  config: Readonly<Record<string, string>>,
  known: readonly string[],
): readonly UnknownProperty[] {
  const later = [...laterProperties.refused, ...laterProperties.ignored]
  return Object.keys(config)
    .filter((name) => !known.includes(name) && !OTHERS.test(name))
    .filter((name) => !later.some(({ matches }) => matches.test(name)))
    .map((name) => ({ name, suggestion: nearest(name, known) }))
}

/** What the runtime, its converters and clients take, and the clients of the schema history. Of time zones a check of its own tells. */
const OTHERS =
  /^((name|connector\.class|task\.class|connector\.plugin\.version|tasks\.max(\.enforce)?|config\.action\.reload|exactly\.once\.support|offsets\.storage\.topic|database\.(connectionTimeZone|serverTimezone)|driver\.connectionTimeZone)$|((key|value|header)\.converter|transforms|predicates)(\.|$)|(errors|topic\.creation|transaction\.boundary|(producer|consumer|admin)\.override|schema\.history\.internal|internal)\.)/

function nearest(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map((other) => ({ other, distance: editDistance(name, other) }))
    .filter(({ distance }) => distance <= DISTANCE_MAX)
    .toSorted((a, b) => a.distance - b.distance)
  return best?.other ?? null
}

/** A letter too many, one missing, two swapped. */
const DISTANCE_MAX = 2

/** Levenshtein's distance: how many letters are inserted, removed or replaced. */
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
