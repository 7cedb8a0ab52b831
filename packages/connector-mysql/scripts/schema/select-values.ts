import type { Database } from '@tributary/testkit'

/** A column as information_schema has it. */
interface CatalogueColumn {
  readonly name: string
  readonly type: string
  readonly columnType: string
  /** Digits of the fraction of a time. */
  readonly fraction: number
  readonly isNullable: boolean
}

/** The rows of a table in the form of `eventRow`, each as JSON; null for a table with columns that are not compared. */
export async function selectedRows(
  server: Database,
  { database, table }: { readonly database: string; readonly table: string },
): Promise<readonly string[]> {
  const columns = await columnsOf(server, database, table)
  const list = columns.map((column) => `${expression(column)} AS ${quoted(column.name)}`).join(', ')
  const rows = await server.query(`SET time_zone = '+00:00'; SELECT ${list} FROM ${quoted(database)}.${quoted(table)}`)
  return rows.map((row) => JSON.stringify(columns.map((column) => [column.name, comparable(row[column.name], column)])))
}

async function columnsOf(server: Database, database: string, table: string): Promise<readonly CatalogueColumn[]> {
  const rows = await server.query(
    `SELECT COLUMN_NAME AS n, DATA_TYPE AS t, COLUMN_TYPE AS ct, COALESCE(DATETIME_PRECISION, 0) AS f, IS_NULLABLE AS z FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = ${literal(database)} AND TABLE_NAME = ${literal(table)} ORDER BY ORDINAL_POSITION`,
  )
  return rows.map((row) => ({
    name: String(row['n']),
    type: String(row['t']).toLowerCase(),
    columnType: String(row['ct']),
    fraction: Number(row['f']),
    isNullable: row['z'] === 'YES',
  }))
}

/**
 * The server's own conversion of a value to that of an event. A date that does not exist is null, or the epoch in a NOT
 * NULL column.
 */
function expression({ name, type, columnType, fraction, isNullable }: CatalogueColumn): string {
  const column = quoted(name)
  const existing = (value: string, epoch: string): string =>
    isNullable ? value : `COALESCE(${value}, IF(${column} IS NULL, NULL, ${epoch}))`
  switch (type) {
    case 'date':
      return existing(`DATEDIFF(${column}, '1970-01-01')`, '0')
    case 'datetime': {
      const micros = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ${column})`
      return existing(fraction > 3 ? micros : `${micros} DIV 1000`, '0')
    }
    case 'timestamp': {
      const instant = `IF(UNIX_TIMESTAMP(${column}) > 0, CONCAT(REPLACE(${column}, ' ', 'T'), 'Z'), NULL)`
      return existing(instant, `'1970-01-01T00:00:00Z'`)
    }
    case 'time': {
      const micros = `TRUNCATE(ABS(TIME_TO_SEC(${column})), 0) * 1000000 + MICROSECOND(${column})`
      return `CAST(IF(${column} < 0, -1, 1) * (${micros}) AS SIGNED)`
    }
    case 'json':
    case 'longtext':
      return `CAST(${column} AS CHAR)`
    case 'year':
      return `${column} + 0`
    case 'bit':
      return columnType === 'bit(1)' ? `${column} + 0` : `LOWER(HEX(REVERSE(${column})))`
    case 'binary':
    case 'varbinary':
    case 'tinyblob':
    case 'blob':
    case 'mediumblob':
    case 'longblob':
      return `LOWER(HEX(${column}))`
    case 'decimal':
      return `CAST(${column} AS CHAR)`
    case 'geometry':
    case 'point':
    case 'linestring':
    case 'polygon':
    case 'multipoint':
    case 'multilinestring':
    case 'multipolygon':
    case 'geomcollection':
    case 'geometrycollection':
      return `CONCAT(LOWER(HEX(ST_AsWKB(${column}))), ' ', COALESCE(NULLIF(ST_SRID(${column}), 0), ''))`
    default:
      return column
  }
}

function comparable(value: unknown, { type, columnType }: CatalogueColumn): unknown {
  if (value === null) return null
  if (columnType === 'bit(1)') return Number(value) === 1
  if (type === 'float' || type === 'double') return Number(value).toPrecision(6)
  if (typeof value !== 'string') return JSON.stringify(value)
  return type === 'json' ? JSON.stringify(JSON.parse(value)) : value
}

export function quoted(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

function literal(name: string): string {
  return `'${name.replaceAll(/['\\]/g, (character) => `${character}${character}`)}'`
}
