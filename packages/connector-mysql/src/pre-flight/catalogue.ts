import { TableId } from '@tributary/connector-kit'
import type { TextRow } from '@tributary/mysql'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { quoted, quotedText } from '../tables/quoted-name.ts'
import type { Inquiry } from './inquiry.ts'
import { plainNames } from './list-entries.ts'
import type { ServerFacts } from './server-facts.ts'
import type { TableName } from './table-name.ts'
import { unreadableColumns, type UnreadableColumn } from './unreadable-columns.ts'

/** A captured table with the server's estimates of its size. */
export interface TableEstimate {
  readonly database: string
  readonly table: string
  /** InnoDB's estimates, which can be off by half. */
  readonly rows: number
  readonly bytes: number
}

/** A table or database that the user may not read. */
export interface Unreadable extends TableName {
  /** True: it exists, and an include list names it. False: no list names it, or the server hides whether it exists. */
  readonly isWanted: boolean
}

/** The tables of the server that the connector captures, and those of them that it may not read. */
export interface Catalogue {
  /** False: the server does not let this user list its databases, so nothing else is known. */
  readonly isListed: boolean
  /** Visible to the user and captured by the lists. */
  readonly databases: readonly string[]
  readonly captured: readonly TableEstimate[]
  readonly unreadable: readonly Unreadable[]
  /** Captured tables without a key that identifies a row. */
  readonly keyless: readonly TableId[]
  /** Columns of captured tables whose values cannot be converted. */
  readonly unreadableColumns: readonly UnreadableColumn[]
}

const NOTHING: Catalogue = {
  isListed: false,
  databases: [],
  captured: [],
  unreadable: [],
  keyless: [],
  unreadableColumns: [],
}

export async function readCatalogue(inquiry: Inquiry, facts: ServerFacts, config: ConnectorConfig): Promise<Catalogue> {
  const listed = await inquiry.ask('SHOW DATABASES', 'listing the databases')
  if (listed.errno !== null) return NOTHING
  const databases = listed.rows.map(([name]) => name ?? '').filter((name) => config.filter.includesDatabase(name))
  const captured = await capturedTables(inquiry, facts, { databases, config })
  const unreadable = [
    ...(await refusedTables(inquiry, facts, captured)),
    ...(await hiddenNames(inquiry, config, { databases, captured })),
  ]
  const readable = captured.filter(({ database, table }) => !unreadable.some((each) => covers(each, database, table)))
  return { isListed: true, databases, captured, unreadable, ...(await inspectTables(inquiry, readable, config)) }
}

async function inspectTables(
  inquiry: Inquiry,
  tables: readonly TableEstimate[],
  config: ConnectorConfig,
): Promise<Pick<Catalogue, 'keyless' | 'unreadableColumns'>> {
  if (tables.length === 0 || tables.length > INSPECTED_TABLES_MAX) return { keyless: [], unreadableColumns: [] }
  const databases = textList([...new Set(tables.map(({ database }) => database))])
  const keyed = await keyedTables(inquiry, databases)
  const ids = tables.map(({ database, table }) => TableId.of(database, table))
  const names = new Set(ids.map(String))
  const found = await unreadableColumns(inquiry, databases, config)
  return {
    keyless: ids.filter((id) => !keyed.has(id.toString())),
    unreadableColumns: found.filter(({ table }) => names.has(table.toString())),
  }
}

async function capturedTables(
  inquiry: Inquiry,
  facts: ServerFacts,
  { databases, config }: { readonly databases: readonly string[]; readonly config: ConnectorConfig },
): Promise<readonly TableEstimate[]> {
  if (databases.length === 0) return []
  if (facts.flavor.name === 'mysql') {
    // Without it, MySQL's figures are up to a day old. Older versions do not have the variable.
    await inquiry.ask('SET SESSION information_schema_stats_expiry = 0', 'setting up the checks')
  }
  const rows = await inquiry.query(
    `SELECT table_schema, table_name, table_rows, data_length FROM information_schema.tables WHERE table_schema IN (${textList(databases)}) AND table_type = 'BASE TABLE'`,
    'listing the tables',
  )
  return rows
    .map(([database, table, count, bytes]) => ({
      database: database ?? '',
      table: table ?? '',
      rows: Number(count ?? 0),
      bytes: Number(bytes ?? 0),
    }))
    .filter(({ database, table }) => config.filter.includesTable(TableId.of(database, table)))
}

/** Tables without a grant for which a SELECT fails too: roles and grants on columns may permit it. */
async function refusedTables(
  inquiry: Inquiry,
  { grants }: ServerFacts,
  captured: readonly TableEstimate[],
): Promise<readonly Unreadable[]> {
  const refused: Unreadable[] = []
  const doubtful = captured.filter(({ database, table }) => !grants.hasOnTable('SELECT', database, table))
  for (const { database, table } of doubtful.slice(0, TRIES_MAX)) {
    if (await isRefused(inquiry, database, table)) refused.push({ database, table, isWanted: true })
  }
  return refused
}

/**
 * Databases whose tables the server does not list for the user (SHOW DATABASES may show them nevertheless), and tables
 * that the include lists name without a pattern and that cannot be read. Databases without tables in the include lists
 * are ignored.
 */
async function hiddenNames(
  inquiry: Inquiry,
  { properties, filter }: ConnectorConfig,
  { databases, captured }: Pick<Catalogue, 'databases' | 'captured'>,
): Promise<readonly Unreadable[]> {
  const named = plainNames(properties).filter(({ database }) => filter.includesDatabase(database))
  const whole = named.filter(({ table }) => table === null).map(({ database }) => database)
  // The lists ignore case, so they may name a captured database in another case.
  const seen = new Set(captured.map(({ database }) => database.toLowerCase()))
  const listed = new Set(databases.map((name) => name.toLowerCase()))
  const unlisted = whole.filter((name) => !listed.has(name.toLowerCase()))
  const isWanted = (name: string): boolean =>
    listed.has(name.toLowerCase()) && whole.some((each) => each.toLowerCase() === name.toLowerCase())
  const doubtful = [...databases, ...unlisted].filter(
    (name) => !seen.has(name.toLowerCase()) && filter.includesTable(TableId.of(name, NO_SUCH_TABLE)),
  )
  const hidden: Unreadable[] = []
  for (const database of doubtful.slice(0, TRIES_MAX)) {
    const { errno, rows } = await inquiry.ask(`SHOW TABLES IN ${quoted(database)}`, `looking for ${database}`)
    const isDenied = errno !== null && DENIED.has(errno)
    // MariaDB lists no tables for a user who has only SHOW DATABASES; its error shows whether the table exists.
    const isEmpty = errno === null && rows.length === 0
    if (isDenied || (isEmpty && (await isRefused(inquiry, database, NO_SUCH_TABLE)))) {
      hidden.push({ database, table: null, isWanted: isWanted(database) })
    }
  }
  const found = new Set(captured.map(({ database, table }) => `${database}.${table}`.toLowerCase()))
  for (const { database, table } of named.slice(0, TRIES_MAX)) {
    if (table === null || hidden.some((each) => covers(each, database, table))) continue
    if (found.has(`${database}.${table}`.toLowerCase())) continue
    if (await isRefused(inquiry, database, table)) hidden.push({ database, table, isWanted: false })
  }
  return hidden
}

async function isRefused(inquiry: Inquiry, database: string, table: string): Promise<boolean> {
  const sql = `SELECT * FROM ${quoted(database)}.${quoted(table)} LIMIT 0`
  const { errno } = await inquiry.ask(sql, `trying to read ${database}.${table}`)
  return errno !== null && DENIED.has(errno)
}

/** Only a key of whole columns that are NOT NULL identifies a row. */
async function keyedTables(inquiry: Inquiry, databases: string): Promise<ReadonlySet<string>> {
  const keys = await inquiry.query(
    `SELECT table_schema, table_name, index_name FROM information_schema.statistics WHERE non_unique = 0 AND table_schema IN (${databases}) GROUP BY table_schema, table_name, index_name HAVING SUM(nullable = 'YES') = 0`,
    'looking for tables without a key',
  )
  return new Set(keys.map(([database, table]: TextRow) => `${database}.${table}`))
}

function covers(unreadable: TableName, database: string, table: string): boolean {
  return unreadable.database === database && (unreadable.table === null || unreadable.table === table)
}

function textList(names: readonly string[]): string {
  return names.map((name) => quotedText(name)).join(', ')
}

/** Access denied: to a database (1044), to a table (1142), to a column (1143). */
const DENIED: ReadonlySet<number> = new Set([1044, 1142, 1143])
const NO_SUCH_TABLE = 'tributary_asks_for_privileges'
/** Each SELECT is a round trip. With more tables than these, users have grants on databases. */
const TRIES_MAX = 500
/** MariaDB opens each table of a query on its catalogue. */
const INSPECTED_TABLES_MAX = 2_000
