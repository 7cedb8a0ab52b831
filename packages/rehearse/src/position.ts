import type { OffsetDocument } from '@tributary/connect-api'
import { comparePlaces, type Place } from './compare/place.ts'

/** What a stored offset says about records. */
export interface StoredPlace {
  /** Null: the offset has no binlog position. */
  readonly place: Place | null
  /** Within a transaction, of which the place is the beginning. */
  readonly isWithin: boolean
  /** When its last change was made, in milliseconds since 1970; null: unknown. */
  readonly changedMs: number | null
}

/** Reads an offset of Debezium's. */
export function storedPlace(offset: Readonly<Record<string, unknown>>): StoredPlace {
  const { file, pos, event, row, ts_sec: seconds } = offset
  const isPlaced = typeof file === 'string' && typeof pos === 'number'
  return {
    place: isPlaced ? { file, position: pos, row: 0 } : null,
    isWithin: [event, row].some((count) => typeof count === 'number' && count > 0),
    changedMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null,
  }
}

/** Whether a connector with this offset has sent the record of a place. */
export function hasPassed(offset: Readonly<Record<string, unknown>>, place: Place | null): boolean {
  const stored = storedPlace(offset)
  if (stored.place === null || place === null) return false
  return (comparePlaces(stored.place, place) ?? -1) > 0
}

/** Whether it is the offset of a snapshot that has not ended. */
export function isOfSnapshot(offset: OffsetDocument | Readonly<Record<string, unknown>>): boolean {
  const { snapshot, snapshot_completed: isCompleted } = offset
  return (
    isCompleted !== true && isCompleted !== 'true' && snapshot !== undefined && snapshot !== null && snapshot !== false
  )
}
