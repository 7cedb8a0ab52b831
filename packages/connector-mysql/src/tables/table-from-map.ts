import type { Column } from '@tributary/connector-kit'
import {
  collationById,
  type ColumnDetails,
  ColumnTypeCode,
  bytesPerCharacterMax,
  escapeString,
  type TableMap,
  type TableMapDetails,
  varcharBytes,
  type WireColumn,
} from '@tributary/mysql'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { columnMismatch, withoutRowEnd } from './map-mismatch.ts'
import { quoted } from './quoted-name.ts'

/** A definition that a table map itself proves, or why the map does not suffice. */
export type TableFromMap =
  | {
      readonly tag: 'table'
      readonly createSql: string
      /** Known columns that fit the map: they also have defaults and display widths. Null: what `createSql` has. */
      readonly known: readonly (Column | null)[]
    }
  | { readonly tag: 'unclear'; readonly reason: string }

/**
 * Defines a table by a map with names (`binlog_row_metadata=FULL`). The map lacks defaults, comments, widths of integers,
 * and which binary strings are UUIDs or addresses; these come from a column of the same name and type in one of the
 * `candidates`, the definitions that are known from before and after the map.
 */
export function tableFromMap(
  map: TableMap,
  details: TableMapDetails,
  candidates: readonly MySqlTable[],
  flavor: 'mysql' | 'mariadb',
): TableFromMap {
  if (!details.hasNames) return { tag: 'unclear', reason: 'the binlog does not contain the names of the columns' }
  const lines: string[] = []
  const known: (Column | null)[] = []
  const isVersioned = endsWithHiddenPeriod(details, candidates)
  if (flavor === 'mariadb' && !isVersioned && mayHaveNewPeriod(map, details, candidates))
    return { tag: 'unclear', reason: 'the binlog does not contain whether the table is WITH SYSTEM VERSIONING' }
  const count = details.columns.length - (isVersioned ? 2 : 0)
  for (let index = 0; index < count; index++) {
    const [wire, detail] = [map.columns[index] as WireColumn, details.columns[index] as ColumnDetails]
    const name = detail.name ?? ''
    const column = candidates
      .flatMap(({ columns }) => columns.filter((other) => other.name === name))
      .find((other) => other.optional === detail.isNullable && columnMismatch(other, wire, detail) === null)
    const type = column === undefined ? sqlType(wire, detail, flavor) : spelledType(column)
    if (type === null) return { tag: 'unclear', reason: `the binlog does not contain the type of column ${name}` }
    const isEnd = candidates.some(({ versioning }) => versioning.tag === 'column' && versioning.end === name)
    const attribute = isEnd ? 'GENERATED ALWAYS AS ROW END' : detail.isNullable ? 'NULL' : 'NOT NULL'
    lines.push(`${quoted(name)} ${type} ${attribute}`)
    known.push(column ?? null)
  }
  const key = candidates
    .map(({ primaryKeyColumnNames: { length } }) =>
      withoutRowEnd(details.primaryKey, { keyLength: length, columnCount: count }, map),
    )
    .find(({ length }) => length < details.primaryKey.length)
  const parts = (key ?? details.primaryKey).map(({ column, prefix }) => {
    const name = quoted(details.columns[column]?.name ?? '')
    return prefix === 0 ? name : `${name}(${prefix})`
  })
  if (parts.length > 0) lines.push(`PRIMARY KEY (${parts.join(', ')})`)
  const option = isVersioned ? ' WITH SYSTEM VERSIONING' : ''
  const id = `${quoted(map.database)}.${quoted(map.table)}`
  return { tag: 'table', createSql: `CREATE TABLE ${id} (${lines.join(', ')}) CHARSET=utf8mb4${option}`, known }
}

/** The rows of MariaDB's system-versioned tables end with two columns that the definition does not list. */
function endsWithHiddenPeriod({ columns }: TableMapDetails, candidates: readonly MySqlTable[]): boolean {
  const [start, end] = columns.slice(-2)
  return (
    start?.name === 'row_start' &&
    end?.name === 'row_end' &&
    candidates.some(({ versioning }) => versioning.tag === 'hidden')
  )
}

/**
 * Whether start and end of a row version may be among the columns that no definition is known for: the end of a version
 * would then be an update instead of a deletion.
 */
function mayHaveNewPeriod(map: TableMap, { columns }: TableMapDetails, candidates: readonly MySqlTable[]): boolean {
  const known = candidates.filter(({ versioning }) => versioning.tag !== 'unknown').flatMap((table) => table.columns)
  const edges = columns.filter(({ name, isNullable }, i) => {
    const wire = map.columns[i]
    const isEdge = wire?.type === ColumnTypeCode.timestamp2 && wire.meta === 6 && !isNullable
    return isEdge && known.every((column) => column.name !== name)
  })
  return edges.length > 1
}

/** The type of a column as SQL: `DECIMAL(10,2) UNSIGNED`, `ENUM('a','b') CHARACTER SET latin1`. */
export function spelledType({ typeName, length, scale, charsetName, enumValues }: Column): string {
  const [first = '', ...modifiers] = typeName.split(/ (?=UNSIGNED|SIGNED|ZEROFILL|BINARY)/)
  const sizes = [length, scale].filter((size) => size !== null)
  const list = enumValues.length > 0 ? enumValues : sizes
  const charset = charsetName === null ? [] : [`CHARACTER SET ${charsetName}`]
  return [list.length === 0 ? first : `${first}(${list.join(',')})`, ...modifiers, ...charset].join(' ')
}

/** The type that a map describes; null when it may be one of several. */
function sqlType(wire: WireColumn, detail: ColumnDetails, flavor: 'mysql' | 'mariadb'): string | null {
  const { type, meta } = wire
  const integer = INTEGER_TYPES[type]
  if (integer !== undefined) return withSign(integer, detail)
  switch (type) {
    case ColumnTypeCode.float:
      return withSign('FLOAT', detail)
    case ColumnTypeCode.double:
      return withSign('DOUBLE', detail)
    case ColumnTypeCode.newDecimal:
      return withSign(`DECIMAL(${meta >> 8},${meta & 0xff})`, detail)
    case ColumnTypeCode.date:
      return 'DATE'
    case ColumnTypeCode.year:
      return 'YEAR'
    case ColumnTypeCode.bit:
      return `BIT(${meta})`
    case ColumnTypeCode.timestamp2:
      return `TIMESTAMP(${meta})`
    case ColumnTypeCode.datetime2:
      return `DATETIME(${meta})`
    case ColumnTypeCode.time2:
      return `TIME(${meta})`
    case ColumnTypeCode.json:
      return 'JSON'
    case ColumnTypeCode.geometry:
      return detail.geometry
    case ColumnTypeCode.vector:
      return detail.dimensions === null ? null : `VECTOR(${detail.dimensions})`
    default:
      return stringType(wire, detail, flavor)
  }
}

const INTEGER_TYPES: Readonly<Partial<Record<number, string>>> = {
  [ColumnTypeCode.tiny]: 'TINYINT',
  [ColumnTypeCode.short]: 'SMALLINT',
  [ColumnTypeCode.int24]: 'MEDIUMINT',
  [ColumnTypeCode.long]: 'INT',
  [ColumnTypeCode.longLong]: 'BIGINT',
}

function withSign(type: string, { isUnsigned }: ColumnDetails): string | null {
  if (isUnsigned === null) return null
  return isUnsigned ? `${type} UNSIGNED` : type
}

function stringType(
  wire: WireColumn,
  { collation, members }: ColumnDetails,
  flavor: 'mysql' | 'mariadb',
): string | null {
  const { type, meta } = wire
  const charset = collation === null ? undefined : collationById(collation)?.charset
  if (charset === undefined) return null
  const isBinary = charset === 'binary'
  const inCharset = ` CHARACTER SET ${charset}`
  const bytes = varcharBytes(wire)
  const characters = bytes / bytesPerCharacterMax(charset)
  switch (type) {
    case ColumnTypeCode.varchar:
    case ColumnTypeCode.compressedVarchar:
      return isBinary ? `VARBINARY(${bytes})` : `VARCHAR(${characters})${inCharset}`
    case ColumnTypeCode.string:
      // MariaDB's UUID, INET6 and INET4 look like binary strings of their size.
      if (isBinary) return flavor === 'mariadb' && (meta === 16 || meta === 4) ? null : `BINARY(${meta})`
      return `CHAR(${characters})${inCharset}`
    case ColumnTypeCode.blob:
    case ColumnTypeCode.compressedBlob: {
      const size = ['TINY', '', 'MEDIUM', 'LONG'][meta - 1]
      if (size === undefined) return null
      return isBinary ? `${size}BLOB` : `${size}TEXT${inCharset}`
    }
    case ColumnTypeCode.enum:
    case ColumnTypeCode.set: {
      if (members === null) return null
      const list = members.map((member) => `'${escapeString(member)}'`).join(',')
      return `${type === ColumnTypeCode.enum ? 'ENUM' : 'SET'}(${list})${inCharset}`
    }
    default:
      return null
  }
}
