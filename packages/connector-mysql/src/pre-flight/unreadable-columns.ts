import { TableId } from '@tributary/connector-kit'
import { catalogueType, parseTypeSpelling } from '@tributary/mysql'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { unsupportedPart } from '../values/map-column.ts'
import type { Inquiry } from './inquiry.ts'

/** A captured column whose values this version cannot convert. */
export interface UnreadableColumn {
  readonly table: TableId
  readonly column: string
  /** `the type POINT`, `the character set greek` */
  readonly unsupported: string
}

/** @param databases as a list of SQL texts */
export async function unreadableColumns(
  inquiry: Inquiry,
  databases: string,
  { values, columns }: Pick<ConnectorConfig, 'values' | 'columns'>,
): Promise<readonly UnreadableColumn[]> {
  const rows = await inquiry.query(
    `SELECT table_schema, table_name, column_name, data_type, character_set_name FROM information_schema.columns WHERE table_schema IN (${databases}) AND data_type NOT IN (${COMMON_TYPES}) AND COALESCE(character_set_name, '') NOT IN (${COMMON_CHARSETS}) ORDER BY table_schema, table_name, ordinal_position`,
    'looking for columns that cannot be read',
  )
  return rows.flatMap(([database, table, column, typeName, charsetName]) => {
    const type = parseTypeSpelling({
      typeName: typeName ?? '',
      length: null,
      scale: null,
      charsetName: charsetName ?? null,
      members: [],
    })
    const unsupported = unsupportedPart(catalogueType(type), typeName ?? '', values)
    const id = TableId.of(database ?? '', table ?? '')
    if (unsupported === null || !columns.includes(id, column ?? '')) return []
    return [{ table: id, column: column ?? '', unsupported }]
  })
}

/** Supported types and charsets of most columns, which the server filters out; the others are checked one by one. */
const COMMON_TYPES =
  "'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'float', 'double', 'date', 'time', 'datetime', 'timestamp', 'year', 'json', 'enum', 'set'"
const COMMON_CHARSETS = "'utf8mb4', 'utf8mb3', 'utf8', 'latin1', 'ascii'"
