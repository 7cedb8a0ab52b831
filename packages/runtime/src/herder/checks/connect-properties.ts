import { ConfigDef } from '@tributary/connect-api'
import { connectorKeys } from '../../config/connector-keys.ts'
import type { Plugins } from '../../plugins/plugins.ts'
import { stageKeys } from '../../plugins/stage-keys.ts'
import type { ConfigInput, LocalCheck } from './check.ts'

/** Definition of the properties that every connector has, and of those of the stages that this one names. */
export function connectDefinition(plugins: Plugins, config: ConfigInput): ConfigDef {
  return new ConfigDef([
    ...connectorKeys((name, kind) => plugins.checkConverter(name, kind)),
    ...stageKeys(plugins, config),
  ])
}

/** The properties that every connector has. */
export const checkConnectProperties: LocalCheck = ({ plugins, config }, findings) => {
  for (const value of connectDefinition(plugins, config).validate(config)) findings.addValue(value)
}
