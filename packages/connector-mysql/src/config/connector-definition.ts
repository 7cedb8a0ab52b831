import { ConfigDef, type ConfigMap } from '@tributary/connect-api'
import { debeziumMessages } from '@tributary/connector-kit'
import { type ConnectorConfig, typedConfig } from './connector-config.ts'
import { connectorKeys, type FlavorKeys } from './connector-keys.ts'
import { currentConfig } from './current-config.ts'

/** The definition of a connector's properties, which also reads the names and values of earlier releases. */
export function connectorDefinition(flavor: FlavorKeys): ConfigDef {
  return new ConfigDef(connectorKeys(flavor), debeziumMessages, (given) => currentConfig(flavor.sslModes, given).config)
}

/**
 * Reads a configuration with valid values.
 *
 * @throws ConfigError when a value is not valid
 */
export function parseConfig(flavor: FlavorKeys, given: ConfigMap): ConnectorConfig {
  const { config } = currentConfig(flavor.sslModes, given)
  return typedConfig(connectorDefinition(flavor).parse(config), config)
}
