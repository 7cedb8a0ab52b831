import { ConfigDef, type ConfigMap, type ConfigValues, type SourceConnector } from '@tributary/connect-api'
import { debeziumMessages } from '@tributary/connector-kit'
import { inspect } from './check-connector.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { refusedProperties } from './config/later-keys.ts'
import type { ConnectorKind } from './connector-kind.ts'

/** The connector as the runtime sees it: what its configuration may be. One class for both servers; the kind is data. */
export class BinlogConnector implements SourceConnector {
  readonly #kind: ConnectorKind
  readonly #definition: ConfigDef

  constructor(kind: ConnectorKind) {
    this.#kind = kind
    this.#definition = new ConfigDef(connectorKeys(kind), debeziumMessages)
  }

  config(): ConfigDef {
    return this.#definition
  }

  /** Refuses what this version would get wrong, and what the database does not allow. Warnings are told when the task starts. */
  async validate(
    _values: ConfigValues,
    config: ConfigMap,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, readonly string[]>>> {
    const refusals = new Map(Object.entries(refusedProperties(config)))
    const result = await inspect(this.#kind, config, { signal })
    for (const { severity, property, message } of 'code' in result ? [result] : result.findings) {
      if (severity === 'error') refusals.set(property, [...(refusals.get(property) ?? []), message])
    }
    return Object.fromEntries(refusals)
  }

  taskConfigs(config: ConfigMap, tasksMax: number): readonly ConfigMap[] {
    if (tasksMax !== 1) throw new RangeError('Only a single connector task may be started')
    return [config]
  }
}
