import type { JsonValue } from './json-value.ts'

/** Where a change is in the binary log. */
export interface Place {
  readonly file: string
  readonly position: number
  readonly row: number
}

/** The place in `source` of an event; null: it has none. */
export function placeOf(source: JsonValue | undefined): Place | null {
  if (source === null || typeof source !== 'object' || Array.isArray(source)) return null
  const { file, pos, row } = source as Readonly<Record<string, JsonValue | undefined>>
  if (typeof file !== 'string' || file === '' || typeof pos !== 'number') return null
  return { file, position: pos, row: typeof row === 'number' ? row : 0 }
}

/** Negative: `a` is before `b`. Null: they are in the binary logs of different servers. */
export function comparePlaces(a: Place, b: Place): number | null {
  const [one, other] = [splitName(a.file), splitName(b.file)]
  if (one.base !== other.base) return null
  return one.number - other.number || a.position - b.position || a.row - b.row
}

function splitName(file: string): { readonly base: string; readonly number: number } {
  const dot = file.lastIndexOf('.')
  return { base: file.slice(0, dot), number: Number(file.slice(dot + 1)) }
}
