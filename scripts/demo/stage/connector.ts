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

/** The connector's registration document. */
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

/** Returns the command that does what `registerConnector` does. Does not show the password of a user's own server. */
export function registrationCommand(url: string, parts: RegistrationParts): string {
  const { name, config } = registrationDocument(parts)
  const shown = parts.database.isOurs ? config : { ...config, 'database.password': '…' }
  const document = JSON.stringify({ name, config: shown }, null, 2)
  return `curl -i -X POST ${url}/connectors/ -H 'Accept: application/json' -H 'Content-Type: application/json' -d '${document}'`
}

/**
 * Registers the connector and returns the status line. Throws DEMO_REGISTRATION_REFUSED with the message of the
 * service.
 */
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

/** True when connector and task are RUNNING. Throws DEMO_TASK_FAILED when one of them has failed. */
export async function isConnectorRunning(url: string, { connector }: Names): Promise<boolean> {
  const response = await fetch(`${url}/connectors/${connector}/status`)
  if (!response.ok) return false
  const status = (await response.json()) as ConnectorStateInfo
  const parts = [status.connector, ...status.tasks]
  const failed = parts.find(({ state }) => state === 'FAILED')
  if (failed !== undefined) throw demoErrors.DEMO_TASK_FAILED({ reason: failed.trace?.split('\n')[0] ?? 'no trace' })
  return status.tasks.length > 0 && parts.every(({ state }) => state === 'RUNNING')
}
