import { ConfigDef, type ConfigKey } from '@tributary/connect-api'
import { clientRefusal } from '@tributary/kafka'
import { clientProperties } from '../../config/client-properties.ts'
import { clientOverrides, clientSettings, type ClientKind } from '../../config/client-settings.ts'
import { overridePolicy } from '../../config/override-policy.ts'
import { usesTopicCreation } from '../../config/topic-creation-keys.ts'
import { withoutNulls, type ConfigInput, type Findings, type LocalCheck } from './check.ts'
import { refuseSettings } from './invalid-settings.ts'

/**
 * `producer.override.…` and `admin.override.…`: whether the worker's policy allows them, whether Java's client could
 * parse them, and whether a client can be created from them, which would otherwise fail the task.
 */
export const checkClients: LocalCheck = ({ workerProperties, config }, findings) => {
  const given = withoutNulls(config)
  const policy = overridePolicy(workerProperties)
  for (const client of clientsInUse(given)) {
    const overrides = clientOverrides(client, given)
    const names = Object.keys(overrides)
    const prefix = `${client}.override.`
    for (const name of names) {
      checkValue({ key: clientSettings[client].get(name), name, prefix, text: overrides[name] }, findings)
      if (!policy.allows(name)) {
        findings.refuse(
          prefix + name,
          `The '${policy.name}' policy does not allow '${name}' to be overridden in the connector configuration.`,
        )
      }
    }
    if (names.length === 0 || names.some((name) => findings.isRefused(prefix + name))) continue
    const properties = clientProperties(client, workerProperties, given)
    const refusal = clientRefusal({ properties, config: given, prefixes: [prefix] })
    if (refusal !== null) refuseSettings(findings, refusal.property, refusal.error)
  }
}

/** As in Connect, a source connector uses an admin client only to create topics. */
function clientsInUse(config: ConfigInput): readonly ClientKind[] {
  return usesTopicCreation(config) ? ['producer', 'admin'] : ['producer']
}

interface Override {
  /** Undefined: Java's client has no such setting. */
  readonly key: ConfigKey | undefined
  readonly name: string
  readonly prefix: string
  readonly text: string | undefined
}

/** The text of the error names the setting without its prefix, as that of Connect does. */
function checkValue({ key, name, prefix, text }: Override, findings: Findings): void {
  if (key === undefined || text === undefined) return
  for (const value of new ConfigDef([key]).validate({ [name]: text })) {
    findings.addValue({ ...value, name: prefix + name })
  }
}

/** The definitions of what a configuration overrides. */
export function overrideKeys(config: ConfigInput): readonly ConfigKey[] {
  return clientsInUse(config).flatMap((client) =>
    Object.keys(clientOverrides(client, withoutNulls(config))).flatMap((name) => {
      const key = clientSettings[client].get(name)
      return key === undefined ? [] : [{ ...key, name: `${client}.override.${name}`, displayName: name }]
    }),
  )
}
