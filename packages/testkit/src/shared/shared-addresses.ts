import type { DatabaseServer } from '../database/database-server.ts'
import type { KafkaServer } from '../kafka/start-kafka.ts'

/** How a test runner tells the test processes which servers it started for all of them. */
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

/** The environment for the test processes of a runner that has started these servers. */
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

/** What the runner started, or undefined when nobody did. */
export function sharedAddress<K extends keyof SharedAddresses>(name: K): SharedAddresses[K] | undefined {
  const text = process.env[VARIABLES[name]]
  // Written by sharedEnvironment of the same checkout, in the same run.
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as SharedAddresses[K])
}
