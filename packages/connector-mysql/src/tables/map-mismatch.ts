import type { Column } from '@tributary/connector-kit'
import {
  canonicalCharset,
  collationById,
  ColumnTypeCode,
  type ColumnDetails,
  type ColumnType,
  fitsWire,
  hasCharset,
  type PrimaryKeyPart,
  type TableMap,
  type TableMapDetails,
  type WireColumn,
} from '@tributary/mysql'
import { columnTypeOf } from '../schema/column-type-of.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'

/**
 * Why a table map was not written under that definition of the table; null when nothing in the map contradicts it.
 *
 * Every map has the types with their lengths and nullability; with `binlog_row_metadata=MINIMAL` also signs and charsets, with FULL also
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
    if (detail.isNullable !== column.optional)
      return `column ${index + 1} (${column.name}) ${detail.isNullable ? 'is nullable' : 'is NOT NULL'} in the binlog`
  }
  return keyMismatch(table, map, details)
}

/** Why a column of a table map is not that column, whatever their names are; null when nothing contradicts it. */
export function columnMismatch(column: Column, wire: WireColumn, detail: ColumnDetails): string | null {
  const type = columnTypeOf(column)
  if (!fitsWire(type, wire)) return `has another type in the binlog than ${column.typeName}`
  if (detail.isUnsigned !== null && INTEGERS.has(type.name) && detail.isUnsigned !== type.isUnsigned)
    return detail.isUnsigned ? 'is unsigned in the binlog' : 'is signed in the binlog'
  const charset = charsetMismatch(type, detail)
  if (charset !== null) return `has the charset ${charset} in the binlog`
  const kind = kindMismatch(type, detail)
  if (kind !== null) return `is ${kind} in the binlog`
  if (detail.members !== null && !isSameMembers(type.members, detail.members)) return 'has other members in the binlog'
  return null
}

/** The type of a spatial column, or the dimensions of a vector, if they are others in the map. */
function kindMismatch({ name, length }: ColumnType, { geometry, dimensions }: ColumnDetails): string | null {
  if (geometry !== null && geometry !== name) return geometry
  const known = length ?? VECTOR_DIMENSIONS
  return dimensions === null || name !== 'VECTOR' || dimensions === known ? null : `VECTOR(${dimensions})`
}

/** Of a VECTOR without a length. */
const VECTOR_DIMENSIONS = 2048

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

/** Compares the key that identifies a row, which becomes the key of the records. */
function keyMismatch(
  { primaryKeyColumnNames: known, columns, keys }: MySqlTable,
  map: TableMap,
  details: TableMapDetails,
): string | null {
  if (!details.hasNames) return null
  // Without a primary key, a unique key identifies the row. MariaDB does not always write that one.
  const hasPrimary = keys?.some(({ kind }) => kind === 'primary') ?? false
  if (details.primaryKey.length === 0 && !hasPrimary) return null
  const parts = withoutRowEnd(details.primaryKey, { keyLength: known.length, columnCount: columns.length }, map)
  const written = parts.map(({ column }) => columns[column]?.name ?? `column ${column + 1}`)
  if (written.length === known.length && written.every((name, i) => name === known[i])) return null
  return `the primary key is (${known.join(', ')}) in the table definition, (${written.join(', ')}) in the binlog`
}

/** MariaDB appends the end of the row version to the primary key of a system-versioned table. */
export function withoutRowEnd(
  parts: readonly PrimaryKeyPart[],
  { keyLength, columnCount }: { readonly keyLength: number; readonly columnCount: number },
  { columns }: TableMap,
): readonly PrimaryKeyPart[] {
  const last = parts.at(-1)?.column ?? -1
  const { type, meta } = columns[last] ?? {}
  const isRowEnd = last >= columnCount || (type === ColumnTypeCode.timestamp2 && meta === 6)
  return parts.length === keyLength + 1 && isRowEnd ? parts.slice(0, -1) : parts
}
