import type { DatabaseServer } from '../database/database-server.ts'
import type { KafkaServer } from '../kafka/start-kafka.ts'

/** The servers of a test runner, which it passes to its test processes in environment variables. */
export interface SharedAddresses {
  readonly kafka: SharedKafkaAddress
  readonly mysql: SharedDatabaseAddress
  readonly mariadb: SharedDatabaseAddress
}

export interface SharedKafkaAddress {
  readonly bootstrapServers: string[]
}

export interface SharedDatabaseAddress {
  readonly port: number
  readonly version: string
  readonly dataFolder: string
}

const VARIABLES = {
  kafka: 'TRIBUTARY_TEST_KAFKA',
  mysql: 'TRIBUTARY_TEST_MYSQL',
  mariadb: 'TRIBUTARY_TEST_MARIADB',
} as const

/** The environment variables for the test processes of a runner with these servers. */
export function sharedEnvironment(servers: {
  readonly kafka: KafkaServer
  readonly mysql: DatabaseServer
  readonly mariadb: DatabaseServer
}): Record<string, string> {
  const { kafka, mysql, mariadb } = servers
  const database = ({ port, version, dataFolder }: SharedDatabaseAddress): string =>
    JSON.stringify({ port, version, dataFolder })
  return {
    [VARIABLES.kafka]: JSON.stringify({ bootstrapServers: kafka.bootstrapServers }),
    [VARIABLES.mysql]: database(mysql),
    [VARIABLES.mariadb]: database(mariadb),
  }
}

/** The server of the runner; undefined if the process has no runner. */
export function sharedAddress<K extends keyof SharedAddresses>(name: K): SharedAddresses[K] | undefined {
  const text = process.env[VARIABLES[name]]
  // sharedEnvironment of the same checkout wrote it in the same run.
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as SharedAddresses[K])
}
