import type { ConnectorStateInfo, CreateConnectorRequest } from '@tributary/rest-api'
import { demoErrors } from './errors.ts'
import type { Names } from './names.ts'
import type { StageDatabase } from './stage.ts'

export interface RegistrationParts {
  readonly names: Names
  readonly database: StageDatabase
  readonly isMariaDb: boolean
  readonly kafka: string
}

/** The registration document, as SPEC.md describes it. */
export function registrationDocument(parts: RegistrationParts): Omit<CreateConnectorRequest, 'initialState'> {
  const { names, database, isMariaDb, kafka } = parts
  const { host, port, user, password } = database.connector
  return {
    name: names.connector,
    config: {
      'connector.class': isMariaDb
        ? 'io.debezium.connector.mariadb.MariaDbConnector'
        : 'io.debezium.connector.mysql.MySqlConnector',
      'tasks.max': '1',
      'database.hostname': host,
      'database.port': String(port),
      'database.user': user,
      'database.password': password,
      'database.server.id': String(names.serverId),
      'topic.prefix': names.topicPrefix,
      'database.include.list': names.database,
      'schema.history.internal.broker.bootstrap.servers': kafka,
      'schema.history.internal.broker.topic': names.historyTopic,
    },
  }
}

/** The command that does what `registerConnector` does. A visitor's password is not shown. */
export function registrationCommand(url: string, parts: RegistrationParts): string {
  const { name, config } = registrationDocument(parts)
  const shown = parts.database.isOurs ? config : { ...config, 'database.password': '…' }
  const document = JSON.stringify({ name, config: shown }, null, 2)
  return `curl -i -X POST ${url}/connectors/ -H 'Accept: application/json' -H 'Content-Type: application/json' -d '${document}'`
}

/** Registers the connector; throws DEMO_REGISTRATION_REFUSED with the service's own words. */
export async function registerConnector(url: string, parts: RegistrationParts): Promise<string> {
  const response = await fetch(`${url}/connectors/`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(registrationDocument(parts)),
  })
  if (response.status === 201) return `HTTP/1.1 201 ${response.statusText}`
  const { message } = (await response.json()) as { readonly message?: string }
  throw demoErrors.DEMO_REGISTRATION_REFUSED({ status: response.status, reason: message ?? response.statusText })
}

/** True when connector and task run; throws DEMO_TASK_FAILED when one of them cannot. */
export async function isConnectorRunning(url: string, { connector }: Names): Promise<boolean> {
  const response = await fetch(`${url}/connectors/${connector}/status`)
  if (!response.ok) return false
  const status = (await response.json()) as ConnectorStateInfo
  const parts = [status.connector, ...status.tasks]
  const failed = parts.find(({ state }) => state === 'FAILED')
  if (failed !== undefined) throw demoErrors.DEMO_TASK_FAILED({ reason: failed.trace?.split('\n')[0] ?? 'no trace' })
  return status.tasks.length > 0 && parts.every(({ state }) => state === 'RUNNING')
}
