import type { TableId } from '@tributary/connector-kit'
import type { ConnectorConfig } from './connector-config.ts'

/** Whether the schema history has the statements about a table. */
export function isRecorded(
  { filter, recordsOnlyCapturedTables }: Pick<ConnectorConfig, 'filter' | 'recordsOnlyCapturedTables'>,
  id: TableId,
): boolean {
  return recordsOnlyCapturedTables ? filter.includesTable(id) : filter.includesDatabase(id.database)
}
