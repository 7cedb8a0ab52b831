import { ConfigDef } from '@tributary/connect-api'
import { connectorKeys } from '../../config/connector-keys.ts'
import type { Plugins } from '../../plugins/plugins.ts'
import type { LocalCheck } from './check.ts'

/** Definition of the properties that every connector has. */
export function connectDefinition(plugins: Plugins): ConfigDef {
  return new ConfigDef(connectorKeys((name, kind) => plugins.checkConverter(name, kind)))
}

/** The properties that every connector has. */
export const checkConnectProperties: LocalCheck = ({ plugins, config }, findings) => {
  for (const value of connectDefinition(plugins).validate(config)) findings.addValue(value)
}
