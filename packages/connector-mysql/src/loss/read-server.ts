import type { MySqlConnection } from '@tributary/mysql'
import { flavorOf } from '../flavor/flavor-of.ts'
import type { Flavor } from '../flavor/flavor.ts'
import { mariadbFlavor } from '../flavor/mariadb-flavor.ts'
import { mysqlFlavor } from '../flavor/mysql-flavor.ts'
import { readVariables } from '../flavor/server-variables.ts'
import type { ListedFile } from './binlog-growth.ts'
import { isAmazon, type Retention, RETENTION_VARIABLES, retentionOf } from './retention.ts'

/** What one measurement asks a server. */
export interface ServerReading {
  readonly flavor: Flavor
  readonly identity: string
  readonly retention: Retention
  /** Oldest first. */
  readonly files: readonly ListedFile[]
  /** By the server's clock, milliseconds since 1970. */
  readonly serverMs: number
  /** Null: MariaDB, or a server without GTIDs. */
  readonly purgedGtids: string | null
  readonly hasGtids: boolean
}

const VARIABLES: readonly string[] = [
  ...new Set([
    ...RETENTION_VARIABLES,
    ...mysqlFlavor.identityVariables,
    ...mariadbFlavor.identityVariables,
    'gtid_mode',
    'version',
  ]),
]

/** Asks three short statements, and on Amazon's servers a fourth. */
export async function readServer(
  connection: MySqlConnection,
  host: string,
  signal: AbortSignal,
): Promise<ServerReading> {
  const variables = await readVariables(connection, VARIABLES, signal)
  const flavor = flavorOf(variables.get('version') ?? '')
  const isMariaDb = flavor.name === 'mariadb'
  const hasGtids = isMariaDb || variables.get('gtid_mode') === 'ON'
  const rows = await connection.query('SHOW BINARY LOGS', 'listing the binlog files', { signal })
  const state = await connection.query(
    `SELECT UNIX_TIMESTAMP(NOW(3)), ${hasGtids && !isMariaDb ? '@@global.gtid_purged' : 'NULL'}`,
    'reading the time of the server',
    { signal },
  )
  const amazonHours = isAmazon(variables) ? await readAmazonHours(connection, signal) : null
  return {
    flavor,
    identity: flavor.identityOf(variables),
    retention: retentionOf({ variables, host, isMariaDb, amazonHours }),
    files: rows.map(([name, size]) => ({ name: name ?? '', bytes: Number(size) })),
    serverMs: Math.round(Number(state[0]?.[0] ?? Number.NaN) * 1000),
    purgedGtids: state[0]?.[1] ?? null,
    hasGtids,
  }
}

/** Null: not set. Undefined: not readable. */
async function readAmazonHours(connection: MySqlConnection, signal: AbortSignal): Promise<number | null | undefined> {
  try {
    const rows = await connection.query(
      "SELECT value FROM mysql.rds_configuration WHERE name = 'binlog retention hours'",
      'reading the retention of the binlog',
      { signal },
    )
    const value = rows[0]?.[0] ?? null
    return value === null || !Number.isFinite(Number(value)) ? null : Number(value)
  } catch (error) {
    if (connection.isOpen) return undefined
    throw error
  }
}
