import type { ConfigKey, ConfigMap, SourceConnector, SourcePlugin } from '@tributary/connect-api'
import { StoppedError, toError } from '@tributary/support'
import { ConfigProviders } from '../config/providers/config-providers.ts'
import { SecretMask } from '../config/providers/secret-mask.ts'
import { shownValue } from '../config/shown-value.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { allChecks, localChecks } from './checks/check-list.ts'
import { Findings, withoutNulls, type ConfigInput } from './checks/check.ts'
import { connectDefinition } from './checks/connect-properties.ts'
import { HerderError } from './herder-error.ts'

export interface ValidatorContext {
  readonly plugins: Plugins
  /** As given, with references. */
  readonly workerProperties: ConfigMap
  /** Whether a connector of that name has stored offsets. */
  readonly hasOffsets?: (connector: string) => boolean
}

/** A property of a configuration that was checked. */
export interface CheckedProperty {
  readonly name: string
  /** Null when nothing defines the property, and it is refused. */
  readonly key: ConfigKey | null
  /** For logs and answers: without passwords, and with references instead of their values. */
  readonly value: string | null
  readonly errors: readonly string[]
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
  context: ValidatorContext,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<readonly CheckedProperty[]> {
  const connector = findPlugin(context.plugins, config).createConnector()
  const keys = [...connectDefinition(context.plugins, config).keys, ...connector.config().keys]
  const { findings, mask } = await checkResolved(context, connector, config, signal)
  const { values, refusals } = findings
  const names = new Set([...keys.map(({ name }) => name), ...refusals.keys()])
  for (const [name, value] of Object.entries(config)) if (value === null) names.add(name)
  return [...names].map((name) => {
    const key = keys.find((each) => each.name === name) ?? null
    const errors = [...(config[name] === null ? [NULL_VALUE] : []), ...(refusals.get(name) ?? [])]
    const value = answeredValue({ key, config, value: values.get(name)?.value ?? null })
    return { name, key, value: value === null ? null : mask.text(value), errors: errors.map((text) => mask.text(text)) }
  })
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

function findPlugin(plugins: Plugins, config: ConfigInput): SourcePlugin {
  const className = config['connector.class'] ?? null
  if (className === null) throw new HerderError({ tag: 'no connector class', shownConfig: renderMap(config) })
  const plugin = plugins.source(className)
  if (plugin !== null) return plugin
  throw new HerderError({ tag: 'unknown connector class', text: plugins.unknownConnectorText(className) })
}

interface Checked {
  readonly findings: Findings
  /** For everything that is shown of it. */
  readonly mask: SecretMask
}

/** Runs all checks on the values of the references. */
async function checkResolved(
  context: ValidatorContext,
  connector: SourceConnector,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<Checked> {
  const { plugins, workerProperties, hasOffsets } = context
  const providers = ConfigProviders.of(workerProperties)
  const worker = providers.resolve(workerProperties)
  const { config: resolved, errors, mask: ownMask } = providers.resolve(withoutNulls(config))
  const findings = new Findings()
  if (errors.size > 0) {
    for (const [name, { message }] of errors) findings.refuse(name, message)
    // No value is known, and the text names the reference, which may be the whole of a password.
    return { findings, mask: new SecretMask(new Map()) }
  }
  const mask = ownMask.with(worker.mask)
  const hasStoredOffsets = hasOffsets?.(resolved['name'] ?? '') ?? false
  const input = { ...config, ...resolved }
  const subject = { plugins, workerProperties: worker.config, connector, config: input, hasStoredOffsets, signal }
  try {
    for (const check of allChecks) await check(subject, findings)
    return { findings, mask }
  } catch (error) {
    throw error instanceof StoppedError ? error : maskedError(error, mask)
  }
}

/** An error of a check without the secrets that its texts may contain. */
function maskedError(error: unknown, mask: SecretMask): Error {
  if (!(error instanceof HerderError)) return mask.error(toError(error))
  const { problem } = error
  if (problem.tag !== 'validation failed') return error
  return new HerderError({ ...problem, reason: mask.text(problem.reason) }, mask.error(error))
}

interface AnsweredValue {
  readonly key: ConfigKey | null
  readonly config: ConfigInput
  /** The parsed value. */
  readonly value: string | null
}

/** The given text where that is a reference. A property that nothing defines may be a secret, so it is not shown. */
function answeredValue({ key, config, value }: AnsweredValue): string | null {
  if (key === null || key.type === 'PASSWORD') return value
  const given = [key.name, ...(key.aliases ?? [])].map((name) => config[name]).find((text) => text !== undefined)
  return given?.includes('${') === true ? given : value
}

/** Refuses a property whose value is JSON null: before its other errors, and also when nothing defines it. */
const NULL_VALUE = 'Null value can not be supplied as the configuration value.'

/** A map as Java prints it. Connect prints every value here; passwords are hidden. */
function renderMap(config: ConfigInput): string {
  const entries = Object.entries(config).map(
    ([name, value]) => `${name}=${value === null ? 'null' : shownValue(name, value)}`,
  )
  return `{${entries.join(', ')}}`
}
