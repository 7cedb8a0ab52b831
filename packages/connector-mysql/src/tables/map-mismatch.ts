import type { Column } from '@tributary/connector-kit'
import {
  canonicalCharset,
  collationById,
  type ColumnDetails,
  type ColumnType,
  fitsWire,
  hasCharset,
  type TableMap,
  type TableMapDetails,
  type WireColumn,
} from '@tributary/mysql'
import { columnTypeOf } from '../schema/column-type-of.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'

/**
 * Why a table map was not written under that definition of the table; null when nothing in the map contradicts it.
 *
 * Every map has the types with their lengths; with `binlog_row_metadata=MINIMAL` also signs and charsets, with FULL also
 * names, members and the primary key. Only names prove a definition: without them, columns of one type may have changed
 * places.
 */
export function mapMismatch(table: MySqlTable, map: TableMap, details: TableMapDetails): string | null {
  for (const [index, column] of table.columns.entries()) {
    const wire = map.columns[index]
    const detail = details.columns[index]
    // The number of columns is compared when the codec is compiled.
    if (wire === undefined || detail === undefined) return `it has no column ${index + 1}`
    if (detail.name !== null && detail.name !== column.name)
      return `column ${index + 1} is ${column.name} in the table definition, ${detail.name} in the binlog`
    const difference = columnMismatch(column, wire, detail)
    if (difference !== null) return `column ${index + 1} (${column.name}) ${difference}`
  }
  return keyMismatch(table, details)
}

/** Why a column of a table map is not that column, whatever their names are; null when nothing contradicts it. */
export function columnMismatch(column: Column, wire: WireColumn, detail: ColumnDetails): string | null {
  const type = columnTypeOf(column)
  if (!fitsWire(type, wire)) return `has another type in the binlog than ${column.typeName}`
  if (detail.isUnsigned !== null && INTEGERS.has(type.name) && detail.isUnsigned !== type.isUnsigned)
    return detail.isUnsigned ? 'is unsigned in the binlog' : 'is signed in the binlog'
  const charset = charsetMismatch(type, detail)
  if (charset !== null) return `has the charset ${charset} in the binlog`
  if (detail.members !== null && !isSameMembers(type.members, detail.members)) return 'has other members in the binlog'
  return null
}

const INTEGERS: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'MEDIUMINT', 'INT', 'BIGINT'])
const BYTES: ReadonlySet<string> = new Set(['BINARY', 'VARBINARY', 'TINYBLOB', 'BLOB', 'MEDIUMBLOB', 'LONGBLOB'])

/** The charset of the map if it is another one. A collation that this program does not know is not compared. */
function charsetMismatch(type: ColumnType, { collation }: ColumnDetails): string | null {
  const written = collation === null ? undefined : collationById(collation)?.charset
  if (written === undefined) return null
  const isText = hasCharset(type.name) && type.charset !== null
  if (!isText && !BYTES.has(type.name)) return null
  return written === (isText ? canonicalCharset(type.charset ?? '') : 'binary') ? null : written
}

function isSameMembers(known: readonly string[], written: readonly string[]): boolean {
  return known.length === written.length && known.every((member, i) => member === written[i])
}

/** Compares the primary key, which becomes the key of the records. */
function keyMismatch({ keys, primaryKeyColumnNames, columns }: MySqlTable, details: TableMapDetails): string | null {
  const { primaryKey } = details
  if (!details.hasNames || primaryKey === null) return null
  const written = primaryKey.map((index) => columns[index]?.name ?? `column ${index + 1}`)
  const known = keys?.find(({ kind }) => kind === 'primary')?.columns
  // A unique key stands in for a primary key that does not exist.
  if (written.length === 0 && (keys === null || known === undefined)) return null
  const names = known ?? (keys === null ? primaryKeyColumnNames : [])
  if (written.length === names.length && written.every((name, i) => name === names[i])) return null
  return `the primary key is (${names.join(', ')}) in the table definition, (${written.join(', ')}) in the binlog`
}
