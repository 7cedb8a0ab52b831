import type { ChunkKey, KeyPoint } from '../chunks/chunk-key.ts'
import type { ChunkQuery } from '../chunks/chunk-query.ts'
import type { StoredKey } from '../offset/incremental-progress.ts'
import { javaKeyOf, pointOfJavaKey } from './java-key.ts'

/** Null: the offset has no key, or that of other columns. */
export function pointOf(query: ChunkQuery, key: ChunkKey, known: StoredKey | null): KeyPoint | null {
  if (known === null) return null
  const point = known.point ?? (known.java === null ? null : pointOfJavaKey(key, known.java))
  return point !== null && query.isPoint(point) ? point : null
}

/** A key as an offset has it. */
export function stored(key: ChunkKey, point: KeyPoint, signature: string): StoredKey {
  return { point, java: javaKeyOf(key, point), signature }
}

/** Values as the server prints them; texts in other charsets than these are hexadecimal digits. */
export function keyText(point: KeyPoint | null): string {
  return (point ?? []).map((value) => textOfPoint(value)).join(',')
}

function textOfPoint(value: string): string {
  const [, charset = '', hex = ''] = /^([a-z\d_]+):((?:[\dA-F]{2})*)$/i.exec(value) ?? []
  return /^(utf8|ascii)/.test(charset) ? Buffer.from(hex, 'hex').toString() : value
}
