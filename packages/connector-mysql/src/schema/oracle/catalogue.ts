import type { TableId } from '@tributary/connector-kit'
import { canonicalCharset, charsetOfCollation, unescapeString } from '@tributary/mysql'
import { columnWords, defaultWords, type TableFacts } from './table-facts.ts'

/** A row of information_schema: names in upper case. */
type Row = Readonly<Record<string, unknown>>

/** Runs a query and returns its rows. */
export type Query = (sql: string) => Promise<readonly Row[]>

/** The facts about a table in a server's information_schema; null when the table does not exist. */
export async function catalogueFacts(
  query: Query,
  id: TableId,
  flavor: 'mysql' | 'mariadb',
): Promise<(TableFacts & { readonly generated: ReadonlySet<string> }) | null> {
  const where = `TABLE_SCHEMA = ${literal(id.database)} AND TABLE_NAME = ${literal(id.table)}`
  const [table] = await query(
    `SELECT TABLE_COLLATION, TABLE_COMMENT FROM information_schema.TABLES WHERE ${where} AND TABLE_TYPE NOT IN ('VIEW', 'SEQUENCE')`,
  )
  if (table === undefined) return null
  const columns = await query(`SELECT * FROM information_schema.COLUMNS WHERE ${where} ORDER BY ORDINAL_POSITION`)
  const keys = await query(
    `SELECT * FROM information_schema.STATISTICS WHERE ${where} ORDER BY INDEX_NAME, SEQ_IN_INDEX`,
  )
  return {
    columns: columns.map((column) => columnFacts(column, flavor)),
    keys: keyFacts(keys),
    charset: charsetOfCollation(text(table['TABLE_COLLATION'])) ?? '',
    comment: text(table['TABLE_COMMENT']),
    generated: new Set(columns.filter(isGenerated).map((column) => text(column['COLUMN_NAME']))),
  }
}

function isGenerated(row: Row): boolean {
  return text(row['GENERATION_EXPRESSION']) !== ''
}

function columnFacts(row: Row, flavor: 'mysql' | 'mariadb'): string {
  const extra = text(row['EXTRA']).toLowerCase()
  const charset = row['CHARACTER_SET_NAME']
  return columnWords({
    name: text(row['COLUMN_NAME']),
    type: typeWords(text(row['COLUMN_TYPE'])),
    charset: charset === null || charset === 'binary' ? '' : canonicalCharset(text(charset)),
    isNullable: row['IS_NULLABLE'] === 'YES',
    // MariaDB permits ALTER … SET DEFAULT of a generated column, to no effect.
    defaultWords: isGenerated(row) ? '' : flavor === 'mysql' ? mysqlDefault(row, extra) : mariadbDefault(row),
    isSelfSet: extra.includes('auto_increment') || extra.includes('on update'),
    comment: text(row['COLUMN_COMMENT']),
  })
}

/** Without display widths of integers and years (but tinyint(1)), and with escapes in members resolved. */
function typeWords(columnType: string): string {
  const withoutWidth = columnType
    .replace(/^(smallint|mediumint|int|bigint|year)\(\d+\)/, '$1')
    .replace(/^tinyint\((?!1\)(?! unsigned))\d+\)/, 'tinyint')
    .replace(/^geometrycollection/, 'geomcollection')
    // MariaDB has the comment of SHOW CREATE TABLE here too.
    .replace(/ \/\*.*$/, '')
  if (!/^(enum|set)\(/.test(withoutWidth)) return withoutWidth
  return withoutWidth.replaceAll(/'((?:[^']|'')*)'/g, (_, member: string) => `'${unescapeString(member)}'`)
}

/** MySQL has the value itself in COLUMN_DEFAULT, bits as b'101', and bytes in hexadecimal. */
function mysqlDefault(row: Row, extra: string): string {
  const value = row['COLUMN_DEFAULT']
  if (value === null || (extra.includes('default_generated') && !isNow(value))) return ''
  const bits = /^b'([01]*)'$/.exec(text(value))
  // ENUM and SET with the charset binary.
  const hex = row['CHARACTER_SET_NAME'] === null ? /^0x([0-9A-F]+)$/.exec(text(value)) : null
  const plain = hex === null ? text(value) : Buffer.from(hex[1] ?? '', 'hex').toString()
  return defaultWords(text(row['DATA_TYPE']).toUpperCase(), bits?.[1] ?? plain)
}

/** Types for which the current time counts as a literal. */
const TIMED: ReadonlySet<string> = new Set(['DATETIME', 'TIMESTAMP'])

/** MariaDB has an SQL expression in COLUMN_DEFAULT: a literal in quotes, a number, `NULL`, a function. */
function mariadbDefault(row: Row): string {
  const expression = row['COLUMN_DEFAULT']
  if (expression === null || expression === 'NULL') return ''
  const type = text(row['DATA_TYPE']).toUpperCase()
  const quoted = /^'(.*)'$/s.exec(text(expression))
  if (quoted !== null) return defaultWords(type, unescapeString(quoted[1] ?? ''))
  const bits = /^b'([01]*)'$/.exec(text(expression))
  if (bits !== null) return defaultWords(type, bits[1] ?? '')
  const isLiteral = /^-?[\d.]+(e[+-]?\d+)?$|^0x|^x'/i.test(text(expression)) || (TIMED.has(type) && isNow(expression))
  return isLiteral ? defaultWords(type, text(expression)) : ''
}

function isNow(value: unknown): boolean {
  return /^current_timestamp(\(\d*\))?$/i.test(text(value))
}

function keyFacts(rows: readonly Row[]): string[] {
  const columns = new Map<string, string[]>()
  for (const row of rows) {
    const adjective = text(row['NON_UNIQUE']) === '0' ? 'unique ' : row['INDEX_TYPE'] === 'FULLTEXT' ? 'fulltext ' : ''
    const head = `${adjective}${text(row['INDEX_NAME'])}`
    const column = row['COLUMN_NAME'] === null ? '<expression>' : text(row['COLUMN_NAME'])
    columns.set(head, [...(columns.get(head) ?? []), column])
  }
  return [...columns].map(([head, names]) => `${head} (${names.join(', ')})`.toLowerCase()).toSorted()
}

/** All tables of databases except views and sequences, as `database.table`. */
export async function catalogueTables(query: Query, databases: readonly string[]): Promise<string[]> {
  const rows = await query(
    `SELECT TABLE_SCHEMA AS D, TABLE_NAME AS T FROM information_schema.TABLES
      WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND TABLE_SCHEMA IN (${databases.map(literal).join(', ')})`,
  )
  return rows.map((row) => `${text(row['D'])}.${text(row['T'])}`).toSorted()
}

function literal(name: string): string {
  return `'${name.replaceAll(/['\\]/g, (character) => `${character}${character}`)}'`
}

function text(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString()
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Charset of a database by its default collation. */
export async function databaseCharset(query: Query, database: string): Promise<string | null> {
  const [row] = await query(
    `SELECT DEFAULT_CHARACTER_SET_NAME AS C FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ${literal(database)}`,
  )
  return row === undefined ? null : text(row['C'])
}
