import type { ConfigMap, Schema } from '@tributary/connect-api'
import type { Column, TableId } from '@tributary/connector-kit'
import { type ColumnType, MySqlConnection, type MySqlConnectionOptions, setUpStructureSession } from '@tributary/mysql'
import { type Logger, silentLogger } from '@tributary/support'
import type { ConnectorConfig } from './config/connector-config.ts'
import { parseConfig } from './config/connector-definition.ts'
import { connectionOptions } from './connection-options.ts'
import { mariadbKind, mysqlKind } from './connector-kind.ts'
import type { Flavor, ServerInfo } from './flavor/flavor.ts'
import { flavorOf } from './flavor/flavor-of.ts'
import { createInterpreter, formatOf, tableCompiler } from './record-parts.ts'
import { columnTypeOf } from './schema/column-type-of.ts'
import type { MySqlTable } from './schema/mysql-table.ts'
import { findTables, readTables } from './snapshot/snapshot-structure.ts'
import type { CapturedTable } from './tables/captured-table.ts'
import { mapColumn } from './values/map-column.ts'
import type { BinaryMode } from './values/value-options.ts'

/** A column as events have it. */
export interface ComparableColumn {
  readonly name: string
  readonly type: ColumnType
  /** The name of its field in events. */
  readonly field: string
  readonly schema: Schema
  /** Why its values in events are not those of the table; null when they are. */
  readonly exclusion: string | null
}

/** A captured table as it is now, for a comparison with its topic. */
export interface ComparableTable {
  readonly database: string
  readonly name: string
  readonly topic: string
  /** Columns of the key of events, in key order; empty: events have no key. */
  readonly keyColumns: readonly ComparableColumn[]
  /** Columns that identify a row of the table, in the order of their index; empty: there is no such index. */
  readonly primaryColumns: readonly string[]
  /**
   * Columns of each index whose values are unique, in index order; read only if the key lacks `primaryColumns`. A column
   * may be NULL, in several rows.
   */
  readonly uniqueIndexes: readonly (readonly string[])[]
  /** Columns of the values of events. */
  readonly columns: readonly ComparableColumn[]
  /** Keys of events have a field that is no column. */
  readonly hasKeyExtension: boolean
  /** SHOW CREATE TABLE, by which a change of the definition is noticed. */
  readonly definition: string
  /** Why the topic may lack rows that are older than the connector; null: a snapshot has written them. */
  readonly withoutSnapshot: string | null
}

/** A database with the tables that a connector captures. */
export interface ComparableSource {
  readonly connection: MySqlConnectionOptions
  readonly flavor: 'mysql' | 'mariadb'
  readonly info: ServerInfo
  /** Returns the end of the binlog. */
  readonly positionStatement: string
  readonly tables: readonly ComparableTable[]
  readonly tombstonesOnDelete: boolean
  /** `skipped.operations` */
  readonly skippedOperations: ReadonlySet<string>
  /** Changes of some servers yield no events: `gtid.source.includes`, `gtid.source.excludes`. */
  readonly leavesOutServers: boolean
  /** `unavailable.value.placeholder` */
  readonly unavailable: Buffer
  readonly binary: BinaryMode
}

/** Reads the definitions of the tables that a connector captures now. */
export async function readComparableSource(
  properties: ConfigMap,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<ComparableSource> {
  const kind = /mariadb/i.test(properties['connector.class'] ?? '') ? mariadbKind : mysqlKind
  const config = parseConfig(kind, properties)
  const { initialStatements } = config
  const connection = { ...(await connectionOptions(config, logger)), initialStatements, takesSeveralStatements: true }
  await using session = await MySqlConnection.open(connection, signal)
  await setUpStructureSession(session, { lockWaitSeconds: LOCK_WAIT_SECONDS, signal })
  const [version] = await session.query('SELECT version()', 'asking for the version of the server', { signal })
  const flavor = flavorOf(version?.[0] ?? '')
  const info = await flavor.readServerInfo(session, signal)
  const server = { flavor, info }
  const captured = await readCaptured(session, { config, server, signal })
  const compiler = tableCompiler(config, flavor.name, formatOf(kind, config, 'v1'), silentLogger)
  const tables: ComparableTable[] = []
  for (const { table, definition } of captured) {
    const found = comparable(compiler.compileOnce(table), definition, config)
    const uniqueIndexes = isPrimaryInKey(found) ? [] : await readUniqueIndexes(session, found, signal)
    tables.push({ ...found, uniqueIndexes })
  }
  return {
    connection: { ...connection, takesSeveralStatements: false },
    flavor: flavor.name,
    info,
    positionStatement: flavor.statements(info).position,
    tables,
    tombstonesOnDelete: config.tombstonesOnDelete,
    skippedOperations: config.skips.operations,
    leavesOutServers: config.gtidSources !== null,
    unavailable: config.values.unavailable,
    binary: config.values.binary,
  }
}

/** DDL of another session holds the metadata lock only briefly. */
const LOCK_WAIT_SECONDS = 60

interface ReadOptions {
  readonly config: ConnectorConfig
  readonly server: { readonly flavor: Flavor; readonly info: ServerInfo }
  readonly signal: AbortSignal
}

async function readCaptured(
  session: MySqlConnection,
  { config, server, signal }: ReadOptions,
): Promise<readonly { readonly table: MySqlTable; readonly definition: string }[]> {
  const found = await findTables(session, config, signal)
  const interpreter = createInterpreter(server, config)
  const definitions = new Map<string, string>()
  for (const id of found.captured) {
    for (const { database, sql } of await readTables(session, [id], signal)) {
      const { error } = interpreter.interpret(sql, { database, isPrinted: true, isReadFromServer: true })
      if (error !== null) throw error
      definitions.set(id.toString(), sql)
    }
  }
  return found.captured.flatMap((id) => {
    const table = interpreter.tables.get(id)
    return table === undefined ? [] : [{ table, definition: definitions.get(id.toString()) ?? '' }]
  })
}

function isPrimaryInKey({ keyColumns, primaryColumns }: Omit<ComparableTable, 'uniqueIndexes'>): boolean {
  return primaryColumns.length > 0 && primaryColumns.every((name) => keyColumns.some((each) => each.name === name))
}

/**
 * Those by which the server can page through the table first: a statement cannot sort by an index of the first
 * characters of a column, nor by one that the optimizer does not see (INVISIBLE in MySQL, IGNORED in MariaDB), although
 * they prove as well that rows differ. A part of an index without a column is an expression.
 */
async function readUniqueIndexes(
  session: MySqlConnection,
  { database, name }: Pick<ComparableTable, 'database' | 'name'>,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const [schema, table] = [database, name].map((text) => `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`)
  const what = `reading the unique indexes of ${database}.${name}`
  const rows = await session.query(
    `SELECT index_name, column_name, sub_part IS NOT NULL${await hiddenIndexes(session, what, signal)}
     FROM information_schema.statistics WHERE non_unique = 0
     AND table_schema = ${schema} AND table_name = ${table} ORDER BY index_name, seq_in_index`,
    what,
    { signal },
  )
  const indexes = Array.from(Map.groupBy(rows, ([index]) => index).values(), (parts) => ({
    columns: parts.map(([, column = null]) => column),
    isSlow: parts.some(([, , isSlow]) => isSlow === '1'),
  }))
  return indexes
    .sort((one, other) => Number(one.isSlow) - Number(other.isSlow))
    .map(({ columns }) => columns)
    .filter((columns) => columns.every((column) => column !== null))
}

/** A condition for indexes that the optimizer does not see; MySQL 5.7 and MariaDB 10.5 have none. */
async function hiddenIndexes(session: MySqlConnection, what: string, signal: AbortSignal): Promise<string> {
  const [found] = await session.query(
    `SELECT column_name FROM information_schema.columns WHERE table_schema = 'information_schema'
     AND table_name = 'STATISTICS' AND column_name IN ('IS_VISIBLE', 'IGNORED')`,
    what,
    { signal },
  )
  switch (found?.[0]) {
    case 'IS_VISIBLE':
      return ` OR is_visible = 'NO'`
    case 'IGNORED':
      return ` OR ignored = 'YES'`
    default:
      return ''
  }
}

function comparable(
  captured: CapturedTable,
  definition: string,
  config: ConnectorConfig,
): Omit<ComparableTable, 'uniqueIndexes'> {
  const { table, schema, mappings } = captured
  const columnAt = (index: number, field: string, isKey: boolean): ComparableColumn | null => {
    const column = table.columns[index]
    const mapping = mappings[index] ?? null
    if (column === undefined || mapping === null) return null
    const exclusion = exclusionOf(captured, column, config, isKey)
    return { name: column.name, type: columnTypeOf(column), field, schema: mapping.schema, exclusion }
  }
  const fieldsOf = (
    fields: readonly { readonly name: string }[],
    indexes: readonly number[],
    isKey: boolean,
  ): readonly ComparableColumn[] => fields.flatMap(({ name }, i) => columnAt(indexes[i] ?? i, name, isKey) ?? [])
  const { keyColumnsSchema, valueSchema } = schema
  return {
    database: table.id.database,
    name: table.id.table,
    topic: schema.topic,
    keyColumns: keyColumnsSchema === null ? [] : fieldsOf(keyColumnsSchema.fields, schema.keyIndexes, true),
    primaryColumns: table.primaryKeyColumnNames,
    columns: fieldsOf(valueSchema.fields, schema.valueIndexes ?? valueSchema.fields.map((_, i) => i), false),
    hasKeyExtension: schema.keyExtension !== null,
    definition,
    withoutSnapshot: withoutSnapshot(captured, config),
  }
}

/** A key is never masked by the rules for values. */
function exclusionOf(
  { table, rawColumns }: CapturedTable,
  column: Column,
  config: ConnectorConfig,
  isKey: boolean,
): string | null {
  if (rawColumns.some(({ name }) => name === column.name)) return 'events have its raw bytes'
  if (isConverted(table.id, column, config)) return 'a converter (converters) changes its values'
  if (isKey) return null
  return config.columns.treatmentOf(table.id, column).mask === null
    ? null
    : 'events have it masked, hashed or truncated'
}

/** A boolean of TinyIntOneToBooleanConverter can be compared, the results of other converters cannot. */
function isConverted(table: TableId, column: Column, { converters, values }: ConnectorConfig): boolean {
  const plain = mapColumn(column, values)
  if (plain.tag !== 'mapped') return false
  const conversion = converters.conversionOf({ table, column, type: columnTypeOf(column), plain: plain.mapping })
  return conversion?.tag === 'converted' && conversion.mapping.schema.type !== 'boolean'
}

function withoutSnapshot({ table }: CapturedTable, config: ConnectorConfig): string | null {
  const { name, atFirst } = config.snapshotMode
  if (atFirst !== 'rows') return `snapshot.mode=${name} reads no rows`
  if (!config.filter.includesRows(table.id)) return 'snapshot.include.collection.list leaves out its rows'
  const overrides = [...config.snapshotOverrides.keys()].map((each) => each.toLowerCase())
  if (overrides.includes(table.id.toString().toLowerCase())) {
    return 'snapshot.select.statement.overrides selects its rows'
  }
  return null
}
