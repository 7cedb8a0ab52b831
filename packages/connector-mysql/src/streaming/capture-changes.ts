import type { TableId } from '@tributary/connector-kit'
import type { TableFilter } from '../config/table-filter.ts'
import type { SchemaChange } from '../schema/schema-change.ts'

/** A table that is captured no more, or from now on, because a statement renamed it. */
export interface CaptureChange {
  readonly from: TableId
  readonly to: TableId
  /** Whether it is captured under the new name; under the old one it is the other way round. */
  readonly isCaptured: boolean
}

/**
 * Finds the capture changes of a statement as a whole. It ignores names that exist only between two of its renames, and
 * a name that another table takes over (`RENAME TABLE t TO t_old, t_new TO t`, the end of an online schema change):
 * rows of that name continue.
 */
export function captureChanges(
  events: readonly Pick<SchemaChange, 'tables'>[],
  filter: Pick<TableFilter, 'includesTable'>,
): readonly CaptureChange[] {
  const oldNames = renamesOf(events)
  const names = new Set(oldNames.values())
  const found: CaptureChange[] = []
  for (const [to, from] of oldNames) {
    const isCaptured = filter.includesTable(to)
    const continues = isCaptured ? names.has(to) : oldNames.has(from)
    if (isCaptured !== filter.includesTable(from) && !continues) found.push({ from, to, isCaptured })
  }
  return found
}

/** Maps the name after the statement to the name before it. */
export function renamesOf(events: readonly Pick<SchemaChange, 'tables'>[]): ReadonlyMap<TableId, TableId> {
  const oldNames = new Map<TableId, TableId>()
  for (const { tables } of events) {
    // Only the event of a rename names two tables: the old name, then the new one.
    const [from, to] = tables
    if (from === undefined || to === undefined) continue
    const first = oldNames.get(from) ?? from
    oldNames.delete(from)
    if (first !== to) oldNames.set(to, first)
  }
  return oldNames
}
