import type { TableId } from '@tributary/connector-kit'
import type { AlterTable, TableName } from '@tributary/mysql'

/** The tables that a statement makes of partitions, and those that it makes partitions of. */
export function splitTables(
  { actions }: AlterTable,
  idOf: (name: TableName) => TableId,
): { readonly created: readonly TableId[]; readonly dropped: readonly TableId[] } {
  const created: TableId[] = []
  const dropped: TableId[] = []
  for (const action of actions) {
    if (action.tag === 'partitionToTable') created.push(idOf(action.to))
    if (action.tag === 'tableToPartition') dropped.push(idOf(action.from))
  }
  return { created, dropped }
}
