import { TableId } from '@tributary/connector-kit'
import { catalogueType, parseTypeSpelling } from '@tributary/mysql'
import { unsupportedPart } from '../values/map-column.ts'
import type { ValueOptions } from '../values/value-options.ts'
import type { Inquiry } from './inquiry.ts'

/** A captured column whose values this version cannot read: events do not contain it. */
export interface LeftOutColumn {
  readonly table: TableId
  readonly column: string
  /** `the type POINT`, `the character set greek` */
  readonly unsupported: string
}

/** @param databases as a list of SQL texts */
export async function leftOutColumns(
  inquiry: Inquiry,
  databases: string,
  values: ValueOptions,
): Promise<readonly LeftOutColumn[]> {
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
    const unsupported = unsupportedPart(catalogueType(type), values)
    if (unsupported === null) return []
    return [{ table: TableId.of(database ?? '', table ?? ''), column: column ?? '', unsupported }]
  })
}

/** Supported types and charsets of most columns, which the server filters out; the others are checked one by one. */
const COMMON_TYPES =
  "'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'float', 'double', 'date', 'time', 'datetime', 'timestamp', 'year', 'json', 'enum', 'set'"
const COMMON_CHARSETS = "'utf8mb4', 'utf8mb3', 'utf8', 'latin1', 'ascii'"
