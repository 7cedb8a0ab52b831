import type { ConfigKey, ConfigMap } from '@tributary/connect-api'
import type { Plugins } from '../plugins/plugins.ts'
import { localChecks } from './checks/check-list.ts'
import { Findings, withoutNulls, type ConfigInput } from './checks/check.ts'
import type { CheckedValue, ConfigChecks } from './config-checks.ts'
import { createConnector, definedKeys } from './defined-keys.ts'
import { HerderError } from './herder-error.ts'

export interface ValidatorContext {
  readonly plugins: Plugins
  readonly checks: ConfigChecks
  /** Whether a connector of that name has stored offsets. */
  readonly hasOffsets?: (connector: string) => boolean
}

/** A property of a configuration that was checked. */
export interface CheckedProperty extends CheckedValue {
  /** Null when nothing defines the property, and it is refused. */
  readonly key: ConfigKey | null
}

/**
 * Checks a connector's configuration as Connect does before it stores one, and also what Connect would find only when
 * the task starts (settings of converters and clients).
 *
 * Returns Connect's own properties, then the connector's, each in the order of definition, then others that are
 * refused.
 *
 * @throws HerderError without a class, with an unknown one, or when a check itself fails
 */
export async function checkConfig(
  { plugins, checks, hasOffsets }: ValidatorContext,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<readonly CheckedProperty[]> {
  await plugins.loadFor(config)
  const keys = definedKeys(plugins, createConnector(plugins, config), config)
  const hasStoredOffsets = hasOffsets?.(config['name'] ?? '') ?? false
  const values = await checks.check({ config, hasStoredOffsets }, signal)
  return values.map((value) => ({ ...value, key: keys.get(value.name) ?? null }))
}

/**
 * Returns the configuration when it is valid.
 *
 * @throws HerderError with every refusal when it is not
 */
export async function validateConnector(
  context: ValidatorContext,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<ConfigMap> {
  const errors = (await checkConfig(context, config, signal)).flatMap((property) => property.errors)
  if (errors.length > 0) throw new HerderError({ tag: 'invalid configuration', errors })
  return withoutNulls(config)
}

/**
 * What Connect itself refuses of a configuration whose references are resolved, by property: its own properties,
 * unresolved references, converters, clients. Asks neither the connector nor the outside world.
 */
export function connectRefusals(
  plugins: Plugins,
  workerProperties: ConfigMap,
  config: ConfigMap,
): ReadonlyMap<string, readonly string[]> {
  const findings = new Findings()
  for (const check of localChecks) check({ plugins, workerProperties, config }, findings)
  return findings.refusals
}
