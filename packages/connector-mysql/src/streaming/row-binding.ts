import { RowCodec, type TableMap, type TableMapDetails, tableMapDetails } from '@tributary/mysql'
import type { CapturedTable } from '../tables/captured-table.ts'
import { mapMismatch } from '../tables/map-mismatch.ts'
import { PartialRows } from './partial-rows.ts'
import { RawRowReader } from './raw-row.ts'
import { mayHaveVersions, RowVersions } from './row-versions.ts'

/** A captured table and the codecs for its rows under one table map. */
export interface CapturedRows {
  readonly tag: 'captured'
  readonly captured: CapturedTable
  /** For images that have all columns. */
  readonly raw: RawRowReader
  /** For others. */
  readonly partial: PartialRows
  /** Null: each row has one version. */
  readonly versions: RowVersions | null
  /**
   * The table number in the rows for which the definition is known to be theirs; null: for any, since the map has names.
   * 0: for none yet. The servers do not assign it.
   */
  provedFor: number | null
}

/** The map fits no table that is known. */
export interface UnknownRows {
  readonly tag: 'unknown'
  /** Why, for the log. */
  readonly reason: string
}

/** How the rows under a table map are read. */
export type RowBinding = CapturedRows | UnknownRows | { readonly tag: 'notCaptured' }

export const NOT_CAPTURED: RowBinding = { tag: 'notCaptured' }

/**
 * Binds a table to a map of it, or returns why the map was written under another definition.
 *
 * @throws COLUMNS_UNREADABLE, COLUMNS_UNMASKABLE
 */
export function bindRows(captured: CapturedTable, map: TableMap): CapturedRows | UnknownRows {
  if (mayHaveVersions(captured.table)) {
    return { tag: 'unknown', reason: 'whether it is WITH SYSTEM VERSIONING is not known' }
  }
  const result = RowCodec.compile(map, captured.targets)
  if (result.tag === 'misfit') return { tag: 'unknown', reason: result.reason }
  const { codec } = result
  const details = detailsOf(map)
  if (details === null) return { tag: 'unknown', reason: 'the metadata of its table map is damaged' }
  const mismatch = mapMismatch(captured.table, map, details)
  if (mismatch !== null) return { tag: 'unknown', reason: mismatch }
  // The definition is that of the rows: what it lacks is no fault of the definition.
  if (captured.refusal !== null) throw captured.refusal
  const raw = new RawRowReader(captured, codec, map)
  const versions = RowVersions.of(captured)
  const partial = new PartialRows({ captured, codec, versions })
  return { tag: 'captured', captured, raw, partial, versions, provedFor: details.hasNames ? null : 0 }
}

/** Null when they cannot be read. */
export function detailsOf(map: TableMap): TableMapDetails | null {
  try {
    return tableMapDetails(map)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
