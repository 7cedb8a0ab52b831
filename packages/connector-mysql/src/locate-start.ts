import type { ConfigMap, OffsetDocument } from '@tributary/connect-api'
import { MySqlConnection } from '@tributary/mysql'
import { type Clock, silentLogger } from '@tributary/support'
import { parseConfig } from './config/connector-definition.ts'
import { connectionOptions } from './connection-options.ts'
import { type ConnectorKind, mariadbKind, mysqlKind } from './connector-kind.ts'
import { flavorOf } from './flavor/flavor-of.ts'
import { findStart } from './start/find-start.ts'
import type { StartRequest } from './start/start-request.ts'

/** A stored offset from which a task starts where it was asked to. */
export interface LocatedStart {
  readonly offset: OffsetDocument
  /** What the user should know about it; null: nothing. */
  readonly note: string | null
}

/** Which of the two connectors is for the server at the address of a configuration. */
export async function classOfServer(config: ConfigMap, signal: AbortSignal): Promise<string> {
  const options = await connectionOptions(parseConfig(mysqlKind, config), silentLogger)
  await using connection = await MySqlConnection.open(options, signal)
  const [row] = await connection.query('SELECT VERSION()', 'reading the version of the server', { signal })
  return (flavorOf(row?.[0] ?? '').name === 'mysql' ? mysqlKind : mariadbKind).className
}

/**
 * Finds the place of the binlog that a request names, for a connector that has no offset.
 *
 * @throws START_PLACE, START_GTIDS, and errors of the connection
 */
export async function locateStart(
  config: ConfigMap,
  request: StartRequest,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<LocatedStart> {
  const kind = kindOf(config['connector.class'])
  const typed = parseConfig(kind, config)
  const connection = await connectionOptions(typed, silentLogger)
  const { flavor, info } = await readServer(connection, signal)
  const recordFormat = typed.recordFormat ?? 'v1'
  const { position, note } = await findStart({ flavor, info, connection, recordFormat, clock }, request, signal)
  return { offset: position.toDocument(), note }
}

async function readServer(options: Parameters<typeof MySqlConnection.open>[0], signal: AbortSignal) {
  await using connection = await MySqlConnection.open(options, signal)
  const [row] = await connection.query('SELECT VERSION()', 'reading the version of the server', { signal })
  const flavor = flavorOf(row?.[0] ?? '')
  return { flavor, info: await flavor.readServerInfo(connection, signal) }
}

function kindOf(className: string | undefined): ConnectorKind {
  return className === mariadbKind.className ? mariadbKind : mysqlKind
}
