import { ConfigDef, type ConfigMap, type SourceTables } from '@tributary/connect-api'
import { debeziumMessages } from '@tributary/connector-kit'
import { MySqlConnection } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import { allowsPublicKeyRetrieval, connectionConfig } from './config/connector-config.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { currentConfig } from './config/current-config.ts'
import { connectionOptions } from './connection-options.ts'
import type { ConnectorKind } from './connector-kind.ts'

/** What a login needs: the other properties of a new connector may still be missing. */
const LOGIN = /^(database\.(hostname|port|user|password|server\.id|ssl\..*|initial\.statements)|connect\..*)$/
/** Of the server itself: it captures none of them. */
const SYSTEM = `'mysql', 'information_schema', 'performance_schema', 'sys'`
/** A page with more would be slow, and a person would search by name. */
const TABLES_MAX = 20_000

/**
 * The tables that the user of the configuration can see, with the server's estimates of their sizes.
 *
 * @throws ConfigError, and the errors of the connection
 */
export async function listTables(kind: ConnectorKind, given: ConfigMap, signal: AbortSignal): Promise<SourceTables> {
  const { config } = currentConfig(kind.sslModes, given)
  const keys = connectorKeys(kind).filter(({ name }) => LOGIN.test(name))
  // Only a replica has a number.
  const values = new ConfigDef(keys, debeziumMessages).parse({ ...config, 'database.server.id': '1' })
  const connecting = { ...connectionConfig(values), allowsPublicKeyRetrieval: allowsPublicKeyRetrieval(config) }
  // They may activate a role that sees the tables.
  const { initialStatements } = connecting
  const options = { ...(await connectionOptions(connecting, silentLogger)), initialStatements }
  await using connection = await MySqlConnection.open(options, signal)
  const rows = await connection.query(
    `SELECT table_schema, table_name, table_rows, data_length FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema NOT IN (${SYSTEM}) ORDER BY table_schema, table_name LIMIT ${TABLES_MAX + 1}`,
    'listing the tables',
    { signal },
  )
  const tables = rows.slice(0, TABLES_MAX).map(([database, table, count, bytes]) => ({
    database: database ?? '',
    table: table ?? '',
    rows: numberOf(count),
    bytes: numberOf(bytes),
  }))
  return { tables, isComplete: rows.length <= TABLES_MAX }
}

function numberOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text)
}
