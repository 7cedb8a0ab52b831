import { randomInt } from 'node:crypto'
import { databaseAccounts } from '../database/database-client.ts'
import type { Database } from '../database/database-server.ts'

export interface ConnectorConfigOptions {
  readonly database: Database
  readonly bootstrapServers: readonly string[]
  /** `topic.prefix`; also part of the name of the history topic. */
  readonly prefix: string
  /** `database.include.list` */
  readonly includes: string
  readonly more?: Readonly<Record<string, string>>
}

/** The configuration of a connector for a server of the testkit. */
export function connectorConfig(options: ConnectorConfigOptions): Record<string, string> {
  const { database, bootstrapServers, prefix, includes, more = {} } = options
  const isMariaDb = database.flavor === 'mariadb'
  const { user, password } = databaseAccounts.debezium
  return {
    'connector.class': isMariaDb
      ? 'io.debezium.connector.mariadb.MariaDbConnector'
      : 'io.debezium.connector.mysql.MySqlConnector',
    'tasks.max': '1',
    'database.hostname': database.host,
    'database.port': String(database.port),
    'database.user': user,
    'database.password': password,
    'database.server.id': String(randomInt(10_000, 2 ** 31)),
    'topic.prefix': prefix,
    'database.include.list': includes,
    'schema.history.internal.kafka.bootstrap.servers': bootstrapServers.join(','),
    'schema.history.internal.kafka.topic': `schemahistory.${prefix}`,
    ...more,
  }
}
