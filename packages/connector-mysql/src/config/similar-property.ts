/** A property with its old names. */
export interface KnownProperty {
  readonly name: string
  readonly aliases: readonly string[]
}

/** Properties that other components define, for suggestions. */
const OF_OTHERS: readonly KnownProperty[] = [
  'connector.class',
  'tasks.max',
  'key.converter',
  'value.converter',
  'header.converter',
  'transforms',
  'predicates',
  'errors.tolerance',
  'driver.allowPublicKeyRetrieval',
].map((name) => ({ name, aliases: [] }))

/** The property that was probably intended with a name that is not known; null: none resembles it. */
export function similarProperty(given: string, known: readonly KnownProperty[]): string | null {
  const name = given.replaceAll(INVISIBLE, '').toLowerCase()
  const all = [...known, ...OF_OTHERS]
  const [best] = all
    .flatMap((each) => [each.name, ...each.aliases].map((other) => ({ name: each.name, other: other.toLowerCase() })))
    .map(({ name: property, other }) => ({ property, distance: editDistance(name, other) }))
    .filter(({ distance }) => distance <= DISTANCE_MAX)
    .toSorted((a, b) => a.distance - b.distance)
  if (best !== undefined) return best.property
  // `database.include`, `allowPublicKeyRetrieval`
  return all.find((each) => each.name.toLowerCase().startsWith(`${name}.`) || isLastPart(name, each.name))?.name ?? null
}

function isLastPart(name: string, property: string): boolean {
  return name.length >= LAST_PART_MIN && property.toLowerCase().endsWith(`.${name}`)
}

/** Formats, separators and spaces that a reader does not see. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Z}]/gu

/** The code points of invisible characters, as `U+200B`; empty without any. */
export function invisibleCharacters(name: string): string {
  const points = [...name.matchAll(INVISIBLE)].map(([character]) => character.codePointAt(0) ?? 0)
  return [...new Set(points)].map((point) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`).join(', ')
}

/** One extra letter, one missing letter, or two swapped letters. */
const DISTANCE_MAX = 2
/** Shorter ends, such as `mode`, belong to many properties. */
const LAST_PART_MIN = 12

/** Levenshtein distance: the number of letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  // Names are short; a long one resembles none, and comparing it would take long.
  if (Math.abs(a.length - b.length) > DISTANCE_MAX) return DISTANCE_MAX + 1
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
