import { TableId } from '@tributary/connector-kit'
import { type MySqlConnection, serverErrno } from '@tributary/mysql'
import type { ConnectorConfig } from '../config/connector-config.ts'
import type { ServerInfo } from '../flavor/flavor.ts'
import { completeDefinition } from '../tables/complete-definition.ts'
import { quoted, quotedText } from '../tables/quoted-name.ts'

/** The tables of the databases that the filters select. */
export interface FoundTables {
  /** In the order of the server. */
  readonly databases: readonly string[]
  /** Those whose definitions are recorded: every table of those databases, or the captured ones. */
  readonly all: readonly TableId[]
  /** Those whose rows are captured, in the order in which they are read. */
  readonly captured: readonly TableId[]
  /** Databases that the user sees but whose tables it may not list: left out, as in Debezium. */
  readonly denied: readonly string[]
}

/** Lists databases and their tables, without views. */
export async function findTables(
  connection: MySqlConnection,
  { filter, recordsOnlyCapturedTables }: Pick<ConnectorConfig, 'filter' | 'recordsOnlyCapturedTables'>,
  signal?: AbortSignal,
): Promise<FoundTables> {
  const rows = await connection.query('SHOW DATABASES', 'listing the databases', { signal })
  const databases: string[] = []
  const denied: string[] = []
  const all: TableId[] = []
  for (const database of rows.map(([name]) => name ?? '').filter((name) => filter.includesDatabase(name))) {
    const tables = await tablesOf(connection, database, signal)
    if (tables === null) denied.push(database)
    else {
      databases.push(database)
      all.push(...tables)
    }
  }
  const captured = all.filter((id) => filter.includesTable(id)).sort((a, b) => compareTables(a, b, filter))
  return { databases, all: recordsOnlyCapturedTables ? captured : all, captured, denied }
}

/** Null when the user may not list them. */
async function tablesOf(
  connection: MySqlConnection,
  database: string,
  signal: AbortSignal | undefined,
): Promise<readonly TableId[] | null> {
  try {
    const tables = await connection.query(
      `SHOW FULL TABLES IN ${quoted(database)} WHERE Table_type = 'BASE TABLE'`,
      `listing the tables of ${database}`,
      { signal },
    )
    return tables.map(([name]) => TableId.of(database, name ?? ''))
  } catch (error) {
    if (serverErrno(error) === DATABASE_DENIED) return null
    throw error
  }
}

/** ER_DBACCESS_DENIED_ERROR */
const DATABASE_DENIED = 1044

function compareTables(a: TableId, b: TableId, filter: ConnectorConfig['filter']): number {
  const byList = filter.orderOf(a) - filter.orderOf(b)
  if (byList !== 0) return byList
  return a.toString() < b.toString() ? -1 : 1
}

/** A statement that defines structure, and its current database. */
export interface StructureStatement {
  readonly database: string | null
  readonly sql: string
}

export interface ReadStructureOptions {
  readonly signal?: AbortSignal
  /** CREATE TABLE statements that are known already. */
  readonly known?: ReadonlyMap<TableId, string>
}

/**
 * The structure as statements, in the order in which Debezium records them: the server's charset, a DROP for each
 * table, and for each database DROP, CREATE, USE and the CREATE TABLE statements as the server prints them.
 */
export async function readStructure(
  connection: MySqlConnection,
  { databases, all }: FoundTables,
  info: ServerInfo,
  { signal, known = new Map() }: ReadStructureOptions = {},
): Promise<readonly StructureStatement[]> {
  const statements: StructureStatement[] = [
    { database: null, sql: `SET character_set_server=${info.charset}, collation_server=${info.collation}` },
    ...all.map(({ database, table }) => ({
      database,
      sql: `DROP TABLE IF EXISTS ${quoted(database)}.${quoted(table)}`,
    })),
  ]
  const tables = Map.groupBy(all, ({ database }) => database)
  for (const database of databases) {
    statements.push(...(await databaseStatements(connection, database, signal)))
    const ids = tables.get(database) ?? []
    const unknown = ids.filter((id) => !known.has(id))
    const read = await readDefinitions(connection, unknown, signal)
    for (const id of ids) {
      const sql = known.get(id) ?? read.get(id)
      if (sql !== undefined) statements.push({ database, sql })
    }
  }
  return statements
}

/** The CREATE TABLE statements of tables. */
export async function readTables(
  connection: MySqlConnection,
  tables: readonly TableId[],
  signal: AbortSignal | undefined,
): Promise<readonly StructureStatement[]> {
  const found = await readDefinitions(connection, tables, signal)
  return Array.from(found, ([{ database }, sql]) => ({ database, sql }))
}

/**
 * The CREATE TABLE statement of each table, in their order. Reads many tables per round trip: writes to the database may
 * wait for this, and thousands of round trips take seconds.
 */
export async function readDefinitions(
  connection: MySqlConnection,
  tables: readonly TableId[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<TableId, string>> {
  const found = new Map<TableId, string>()
  for (let from = 0; from < tables.length; from += TABLES_AT_ONCE) {
    const some = tables.slice(from, from + TABLES_AT_ONCE)
    const statements = some.map(({ database, table }) => `SHOW CREATE TABLE ${quoted(database)}.${quoted(table)}`)
    const names = some.length === 1 ? String(some[0]) : `${String(some[0])} to ${String(some.at(-1))}`
    const results = await connection.queryAll(statements, `reading the structure of ${names}`, { signal })
    for (const [index, id] of some.entries()) {
      const createSql = results[index]?.[0]?.[1] ?? null
      if (createSql === null) continue
      found.set(id, await completeDefinition(connection, id, createSql, { signal }))
    }
  }
  return found
}

/** When each of the tables was altered last, logged or not, in seconds since 1970 by the server's clock. */
export async function changeTimes(
  connection: MySqlConnection,
  tables: readonly TableId[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<TableId, number>> {
  const found = new Map<TableId, number>()
  for (const [database, some] of Map.groupBy(tables, (id) => id.database)) {
    const wanted = new Set(some)
    const rows = await connection.query(
      `SELECT table_name, UNIX_TIMESTAMP(create_time) FROM information_schema.tables WHERE table_schema = ${quotedText(database)}`,
      `reading when the tables of ${database} were changed`,
      { signal },
    )
    for (const [name, time] of rows) {
      const id = TableId.of(database, name ?? '')
      if (wanted.has(id) && time !== null && time !== undefined) found.set(id, Number(time))
    }
  }
  return found
}

/** Enough to make the round trip negligible; their definitions, of some kilobytes each, are small together. */
export const TABLES_AT_ONCE = 100

async function databaseStatements(
  connection: MySqlConnection,
  database: string,
  signal: AbortSignal | undefined,
): Promise<readonly StructureStatement[]> {
  const [row] = await connection.query(
    `SELECT default_character_set_name, default_collation_name FROM information_schema.schemata WHERE schema_name = ${quotedText(database)}`,
    `reading the character set of ${database}`,
    { signal },
  )
  const name = quoted(database)
  return [
    { database, sql: `DROP DATABASE IF EXISTS ${name}` },
    {
      database,
      sql: `CREATE DATABASE ${name} CHARSET ${row?.[0] ?? 'utf8mb4'} COLLATE ${row?.[1] ?? 'utf8mb4_general_ci'}`,
    },
    { database, sql: `USE ${name}` },
  ]
}
