import type { ConfigKey, SourceConnector } from '@tributary/connect-api'
import { shownValue } from '../config/shown-value.ts'
import type { Plugins } from '../plugins/plugins.ts'
import type { ConfigInput } from './checks/check.ts'
import { overrideKeys } from './checks/clients.ts'
import { connectDefinition } from './checks/connect-properties.ts'
import { HerderError } from './herder-error.ts'

/** The defined properties by name: Connect's own, then the connector's, then those of Kafka clients that
 * the configuration overrides. The first definition of a property counts. */
export type DefinedKeys = ReadonlyMap<string, ConfigKey>

export function definedKeys(plugins: Plugins, connector: SourceConnector, config: ConfigInput): DefinedKeys {
  const keys = new Map<string, ConfigKey>()
  const ownKeys = connector.config().keys
  for (const key of [...connectDefinition(plugins, config).keys, ...ownKeys, ...overrideKeys(config)]) {
    if (!keys.has(key.name)) keys.set(key.name, key)
  }
  return keys
}

/**
 * The connector of a configuration.
 *
 * @throws HerderError without a class, and with an unknown one
 */
export function createConnector(plugins: Plugins, config: ConfigInput): SourceConnector {
  const className = config['connector.class'] ?? null
  if (className === null) throw new HerderError({ tag: 'no connector class', shownConfig: renderMap(config) })
  const plugin = plugins.source(className)
  if (plugin !== null) return plugin.createConnector()
  throw new HerderError({ tag: 'unknown connector class', text: plugins.unknownConnectorText(className) })
}

/** A map as Java prints it. Connect prints every value here; passwords are hidden. */
function renderMap(config: ConfigInput): string {
  const entries = Object.entries(config).map(
    ([name, value]) => `${name}=${value === null ? 'null' : shownValue(name, value)}`,
  )
  return `{${entries.join(', ')}}`
}
