import { TableId } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import type { TableFilter } from '../config/table-filter.ts'
import type { ServerInfo } from '../flavor/flavor.ts'
import { quoted } from '../tables/quoted-name.ts'

/** The tables of the databases that the filters let through. */
export interface FoundTables {
  /** In the order of the server. */
  readonly databases: readonly string[]
  /** Every table of those databases, captured or not. */
  readonly all: readonly TableId[]
  /** Those whose rows are captured, in the order in which they are read. */
  readonly captured: readonly TableId[]
}

/** Lists databases and their tables; views are no tables. */
export async function findTables(connection: MySqlConnection, filter: TableFilter): Promise<FoundTables> {
  const rows = await connection.query('SHOW DATABASES', 'listing the databases')
  const databases = rows.map(([name]) => name ?? '').filter((name) => filter.includesDatabase(name))
  const all: TableId[] = []
  for (const database of databases) {
    const tables = await connection.query(
      `SHOW FULL TABLES IN ${quoted(database)} WHERE Table_type = 'BASE TABLE'`,
      `listing the tables of ${database}`,
    )
    all.push(...tables.map(([name]) => TableId.of(database, name ?? '')))
  }
  const captured = all.filter((id) => filter.includesTable(id)).sort((a, b) => compareTables(a, b, filter))
  return { databases, all, captured }
}

function compareTables(a: TableId, b: TableId, filter: TableFilter): number {
  const byList = filter.orderOf(a) - filter.orderOf(b)
  if (byList !== 0) return byList
  return a.toString() < b.toString() ? -1 : 1
}

/** A statement that says the structure, and the database that was current for it. */
export interface StructureStatement {
  readonly database: string | null
  readonly sql: string
}

/**
 * The structure as statements, in the order in which Debezium records them: the server's charset, a DROP for each table, and for
 * each database DROP, CREATE, USE and the CREATE TABLE statements as the server prints them.
 */
export async function readStructure(
  connection: MySqlConnection,
  { databases, all }: FoundTables,
  info: ServerInfo,
): Promise<readonly StructureStatement[]> {
  const statements: StructureStatement[] = [
    { database: null, sql: `SET character_set_server=${info.charset}, collation_server=${info.collation}` },
    ...all.map(({ database, table }) => ({
      database,
      sql: `DROP TABLE IF EXISTS ${quoted(database)}.${quoted(table)}`,
    })),
  ]
  for (const database of databases) {
    statements.push(...(await databaseStatements(connection, database)))
    for (const id of all.filter((each) => each.database === database)) {
      const [row] = await connection.query(
        `SHOW CREATE TABLE ${quoted(database)}.${quoted(id.table)}`,
        `reading the structure of ${id.toString()}`,
      )
      // A table that was dropped since it was listed: only without a lock.
      if (row?.[1] !== null && row?.[1] !== undefined) statements.push({ database, sql: row[1] })
    }
  }
  return statements
}

async function databaseStatements(
  connection: MySqlConnection,
  database: string,
): Promise<readonly StructureStatement[]> {
  const text = database.replaceAll("'", "''").replaceAll('\\', '\\\\')
  const [row] = await connection.query(
    `SELECT default_character_set_name, default_collation_name FROM information_schema.schemata WHERE schema_name = '${text}'`,
    `reading the character set of ${database}`,
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
