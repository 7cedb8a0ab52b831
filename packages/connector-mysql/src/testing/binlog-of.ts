import type { BinlogStreamOptions, DumpStart, MySqlConnectionOptions } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import { type Database, databaseAccounts } from '@tributary/testkit'
import { randomInt, randomUUID } from 'node:crypto'

/** How a test reads the binlog of a server. */
export interface BinlogOf {
  readonly connection: MySqlConnectionOptions
  readonly binlogFrom: (start: DumpStart) => BinlogStreamOptions
}

/** How the account of connectors logs in. */
export function connectionOf({ host, port }: Pick<Database, 'host' | 'port'>): MySqlConnectionOptions {
  return {
    host,
    port,
    ...databaseAccounts.debezium,
    tls: { mode: 'preferred' },
    connectTimeoutMs: 10_000,
    allowsPublicKeyRetrieval: true,
    logger: silentLogger,
  }
}

/** As the account of connectors, with a server id of its own. */
export function binlogOf(database: Database): BinlogOf {
  const { flavor } = database
  const connection = connectionOf(database)
  const serverId = randomInt(100_000, 2 ** 31)
  const dump = { flavor, serverId, replicaUuid: randomUUID(), heartbeatMs: 100, wantsStatements: false }
  return {
    connection,
    binlogFrom: (start) => ({
      connection,
      decodeStatement: (bytes, from, to) => bytes.utf8Slice(from, to),
      dump: { ...dump, start },
    }),
  }
}
