import { databaseAccounts } from '@tributary/testkit'
import type { PublishedDocument, Surroundings } from './documents.ts'

interface Servers {
  readonly mysql: Address
  readonly mariadb: Address
  /** The brokers of the schema history. */
  readonly bootstrapServers: readonly string[]
  readonly registryUrl: string
  readonly folder: string
}

interface Address {
  readonly host: string
  readonly port: number
}

const { user, password } = databaseAccounts.debezium

/** The config providers that the documents refer to, and the variables of their references, as settings of a worker. */
export function workerEnvironment({ host, port }: Address): Readonly<Record<string, string>> {
  return {
    CONNECT_CONFIG_PROVIDERS: 'file,env',
    CONNECT_CONFIG_PROVIDERS_FILE_CLASS: 'org.apache.kafka.common.config.provider.FileConfigProvider',
    CONNECT_CONFIG_PROVIDERS_ENV_CLASS: 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
    MYSQL_HOST: host,
    MYSQL_PORT: String(port),
    MYSQL_USER: user,
    MYSQL_PASSWORD: password,
    // For the login to Amazon MSK, whose addresses contain the region.
    AWS_REGION: 'eu-west-1',
  }
}

/** What replaces the placeholders of a document: the servers of its connector. */
export function surroundingsOf({ config }: PublishedDocument, servers: Servers): Surroundings {
  const { host, port } = isMariaDb(config) ? servers.mariadb : servers.mysql
  return {
    folder: servers.folder,
    placeholders: {
      MYSQL_HOST: host,
      MYSQL_PORT: String(port),
      MYSQL_USER: user,
      MYSQL_PASSWORD: password,
      KAFKA: servers.bootstrapServers.join(','),
      REGISTRY: servers.registryUrl,
      ...KAFKA_ACCOUNT,
      // Of stores that no document reaches.
      HOST: 'store.invalid',
      JDBC_HOST: 'store.invalid',
      USER: 'nobody',
      PASSWORD: 'nothing',
    },
  }
}

/** The account of brokers with a login. */
export const KAFKA_ACCOUNT = { KAFKA_USER: 'connect', KAFKA_PASSWORD: 'connect-secret' } as const

export function isMariaDb(config: Readonly<Record<string, string>>): boolean {
  return config['connector.class']?.includes('mariadb') === true
}
