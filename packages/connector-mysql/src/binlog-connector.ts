import { ConfigDef, type ConfigMap, type ConfigValues, type SourceConnector } from '@tributary/connect-api'
import { debeziumMessages } from '@tributary/connector-kit'
import type { MySqlConnection } from '@tributary/mysql'
import { CodedError, silentLogger, toError } from '@tributary/support'
import { typedConfig } from './config/connector-config.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { refusedProperties } from './config/later-keys.ts'
import { connectionOptions } from './connection-options.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { withConnection } from './pre-flight/with-connection.ts'

/** The connector as the runtime sees it: what its configuration may be. One class for both servers; the kind is data. */
export class BinlogConnector implements SourceConnector {
  readonly #definition: ConfigDef

  constructor(kind: ConnectorKind) {
    this.#definition = new ConfigDef(connectorKeys(kind), debeziumMessages)
  }

  config(): ConfigDef {
    return this.#definition
  }

  /** Refuses what this version would get wrong, and logs in to the database once. */
  async validate(
    values: ConfigValues,
    config: ConfigMap,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, readonly string[]>>> {
    const refused = refusedProperties(config)
    if (Object.keys(refused).length > 0) return refused
    try {
      const typed = typedConfig(values, config)
      const login = (connection: MySqlConnection): Promise<unknown> =>
        connection.query('SELECT version()', 'checking the connection')
      await withConnection(await connectionOptions(typed, silentLogger), login, signal)
      return {}
    } catch (error) {
      if (!(error instanceof CodedError)) throw toError(error)
      return { 'database.hostname': [error.message] }
    }
  }

  taskConfigs(config: ConfigMap, tasksMax: number): readonly ConfigMap[] {
    if (tasksMax !== 1) throw new RangeError('Only a single connector task may be started')
    return [config]
  }
}
