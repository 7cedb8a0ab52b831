import { isLoopback } from '@tributary/support'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import { flavorOf } from '../flavor/flavor-of.ts'
import { readVariables } from '../flavor/server-variables.ts'
import { accountName } from './account.ts'
import { Grants } from './grants.ts'
import type { Answer, Inquiry } from './inquiry.ts'

/** Facts about the server and the connector's user. */
export interface ServerFacts {
  readonly address: string
  readonly flavor: Flavor
  readonly info: ServerInfo
  /** Global variables by name; those that the server does not have are missing. */
  readonly variables: ReadonlyMap<string, string>
  /** The account that the login was matched to, quoted for statements. */
  readonly account: string
  readonly grants: Grants
  readonly isEncrypted: boolean
  /** The server is on this machine: no network is between it and the connector. */
  readonly isLocal: boolean
  /** The position of the binlog: file, position, databases that are written, databases that are not, … */
  readonly position: Answer
  /** Connected replicas: id, host, port, …, UUID (MySQL only). */
  readonly replicas: Answer
  /** Its own replication; without rows when it is not a replica. */
  readonly replicaStatus: Answer
}

const VARIABLES = [
  'log_bin',
  'binlog_format',
  'binlog_row_image',
  'binlog_row_metadata',
  'binlog_row_value_options',
  'binlog_rows_query_log_events',
  'binlog_annotate_row_events',
  'binlog_transaction_compression',
  'log_bin_compress',
  'server_id',
  'gtid_mode',
  'enforce_gtid_consistency',
  'log_replica_updates',
  'log_slave_updates',
  'binlog_expire_logs_seconds',
  'binlog_expire_logs_auto_purge',
  'expire_logs_days',
  'max_binlog_total_size',
  'skip_show_database',
  'partial_revokes',
  'time_zone',
  'system_time_zone',
]

export async function readFacts(inquiry: Inquiry): Promise<ServerFacts> {
  const { connection, signal } = inquiry
  const [version] = await inquiry.query('SELECT version()', 'asking for the version of the server')
  const flavor = flavorOf(version?.[0] ?? '')
  const info = await flavor.readServerInfo(connection, signal)
  const [user] = await inquiry.query('SELECT CURRENT_USER()', 'asking which account the user is')
  const grants = await inquiry.query('SHOW GRANTS', 'asking for the privileges of the user')
  const [cipher] = await inquiry.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'", 'asking whether it is encrypted')
  const { position, replicas, replicaStatus } = flavor.statements(info)
  return {
    address: connection.address,
    flavor,
    info,
    variables: await readVariables(connection, VARIABLES, signal),
    account: accountName(user?.[0] ?? ''),
    grants: new Grants(grants.map(([line]) => line ?? '')),
    isLocal: isLoopback(connection.remoteAddress),
    isEncrypted: (cipher?.[1] ?? '') !== '',
    position: await inquiry.ask(position, 'asking for the position of the binlog'),
    replicas: await inquiry.ask(replicas, 'asking for the replicas'),
    replicaStatus: await inquiry.ask(replicaStatus, 'asking what it replicates'),
  }
}
