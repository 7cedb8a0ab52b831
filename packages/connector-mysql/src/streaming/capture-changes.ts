import type { TableId } from '@tributary/connector-kit'
import type { TableFilter } from '../config/table-filter.ts'
import type { SchemaChange } from '../schema/schema-change.ts'

/** A table that a statement took out of what is captured, or into it, by another name. */
export interface CaptureChange {
  readonly from: TableId
  readonly to: TableId
  /** Under the new name; under the old one it is the other way round. */
  readonly isCaptured: boolean
}

/**
 * Judges a statement as a whole: names in use only between two of its renames do not count, nor does a name that
 * another table of it takes over (`RENAME TABLE t TO t_old, t_new TO t`, the end of an online schema change), as the
 * rows of that name go on.
 */
export function captureChanges(
  events: readonly Pick<SchemaChange, 'tables'>[],
  filter: Pick<TableFilter, 'includesTable'>,
): readonly CaptureChange[] {
  const oldNames = renames(events)
  const names = new Set(oldNames.values())
  const found: CaptureChange[] = []
  for (const [to, from] of oldNames) {
    const isCaptured = filter.includesTable(to)
    const goesOn = isCaptured ? names.has(to) : oldNames.has(from)
    if (isCaptured !== filter.includesTable(from) && !goesOn) found.push({ from, to, isCaptured })
  }
  return found
}

/** The name before the statement by the name after it. */
function renames(events: readonly Pick<SchemaChange, 'tables'>[]): ReadonlyMap<TableId, TableId> {
  const oldNames = new Map<TableId, TableId>()
  for (const { tables } of events) {
    // Only an event about a rename names two: the old name, then the new one.
    const [from, to] = tables
    if (from === undefined || to === undefined) continue
    const first = oldNames.get(from) ?? from
    oldNames.delete(from)
    if (first !== to) oldNames.set(to, first)
  }
  return oldNames
}
