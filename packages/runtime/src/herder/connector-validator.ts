import {
  ConfigDef,
  type ConfigKey,
  type ConfigMap,
  type ConfigValue,
  type ConfigValues,
  type SourceConnector,
  type SourcePlugin,
  type ValidationContext,
} from '@tributary/connect-api'
import { kafkaOptionsFromProperties, producerOptionsFromProperties } from '@tributary/kafka'
import { CodedError, describeError, StoppedError, toError } from '@tributary/support'
import { clientProperties } from '../config/client-properties.ts'
import { connectorKeys } from '../config/connector-keys.ts'
import { ConfigProviders } from '../config/providers/config-providers.ts'
import { SecretMask } from '../config/providers/secret-mask.ts'
import { shownValue } from '../config/shown-value.ts'
import { converterSpec, withPrefix } from '../config/worker-config.ts'
import { runtimeErrors } from '../errors.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { HerderError } from './herder-error.ts'

type ConfigInput = Readonly<Record<string, string | null>>

/** Refusals by property, in the order in which they are told. */
type Refusals = Map<string, readonly string[]>

export interface ValidatorContext {
  readonly plugins: Plugins
  /** As given: with references. */
  readonly workerProperties: ConfigMap
  /** Has a connector of that name stored offsets? */
  readonly hasOffsets?: (connector: string) => boolean
}

/** A property of a configuration that was checked. */
export interface CheckedProperty {
  readonly name: string
  /** Null: nobody defines it, and it is refused. */
  readonly key: ConfigKey | null
  /** As it may be shown: without passwords, and with references instead of what they stand for. */
  readonly value: string | null
  readonly errors: readonly string[]
}

/**
 * Checks a connector's configuration as Connect does before it stores one: the class, Connect's own properties, the
 * connector's, and what the connector itself asks of the outside world. What Connect would find out only when the task starts
 * (settings of converters and clients) is checked here too.
 *
 * Gives Connect's own properties, then the connector's, each in the order of definition, then others that are refused.
 *
 * @throws HerderError without a class, with an unknown one, or when a check itself fails
 */
export async function checkConfig(
  context: ValidatorContext,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<readonly CheckedProperty[]> {
  const connector = findPlugin(context.plugins, config).createConnector()
  const keys = [...ownDefinition(context.plugins).keys, ...connector.config().keys]
  const { values, refusals, mask } = await checkResolved(context, connector, config, signal)
  const names = new Set([...keys.map(({ name }) => name), ...refusals.keys()])
  for (const [name, value] of Object.entries(config)) if (value === null) names.add(name)
  return [...names].map((name) => {
    const key = keys.find((each) => each.name === name) ?? null
    const errors = [...(config[name] === null ? [NULL_VALUE] : []), ...(refusals.get(name) ?? [])]
    const value = answeredValue({ key, config, value: values.get(name)?.value ?? null })
    return { name, key, value: value === null ? null : mask.text(value), errors: errors.map((text) => mask.text(text)) }
  })
}

/** The configuration, when it is valid; else its refusals as status 400 in Connect's words. */
export async function validateConnector(
  context: ValidatorContext,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<ConfigMap> {
  const errors = (await checkConfig(context, config, signal)).flatMap((property) => property.errors)
  if (errors.length > 0) throw new HerderError({ tag: 'invalid configuration', errors })
  return withoutNulls(config)
}

function findPlugin(plugins: Plugins, config: ConfigInput): SourcePlugin {
  const className = config['connector.class'] ?? null
  if (className === null) {
    throw new HerderError({ tag: 'no connector class', shownConfig: renderMap(config) })
  }
  const plugin = plugins.source(className)
  if (plugin === null)
    throw new HerderError({ tag: 'unknown connector class', text: plugins.unknownConnectorText(className) })
  return plugin
}

interface Checked {
  /** The first definition of a property counts, as in Connect. */
  readonly values: ReadonlyMap<string, ConfigValue>
  readonly refusals: Refusals
  /** For all that is shown of it. */
  readonly mask: SecretMask
}

/** Checks the values that references stand for. */
async function checkResolved(
  context: ValidatorContext,
  connector: SourceConnector,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<Checked> {
  const providers = ConfigProviders.of(context.workerProperties)
  const worker = providers.resolve(context.workerProperties)
  const { config: resolved, errors, mask: ownMask } = providers.resolve(withoutNulls(config))
  const mask = ownMask.with(worker.mask)
  if (errors.size > 0) {
    const refusals = new Map([...errors].map(([name, { message }]) => [name, [message]]))
    // No value is known, and the text names the reference, which may stand alone in a password.
    return { values: new Map(), refusals, mask: new SecretMask(new Map()) }
  }
  try {
    const resolvedContext = { ...context, workerProperties: worker.config }
    return { ...(await collectErrors(resolvedContext, connector, { ...config, ...resolved }, signal)), mask }
  } catch (error) {
    if (error instanceof StoppedError) throw error
    if (!(error instanceof HerderError)) throw mask.error(toError(error))
    const { problem } = error
    if (problem.tag !== 'validation failed') throw error
    throw new HerderError({ ...problem, reason: mask.text(problem.reason) }, mask.error(error))
  }
}

/** All that is wrong, as far as it can be told at once: the outside world is asked about valid values only. */
async function collectErrors(
  context: ValidatorContext,
  connector: SourceConnector,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<Omit<Checked, 'mask'>> {
  const definition = connector.config()
  const values = new Map<string, ConfigValue>()
  const refusals: Refusals = new Map()
  const answers = definition.validate(config)
  for (const answer of [...ownDefinition(context.plugins).validate(config), ...answers]) {
    if (!values.has(answer.name)) values.set(answer.name, answer)
    add(refusals, answer.name, answer.errors)
  }
  const given = withoutNulls(config)
  checkReferences(given, refusals)
  checkConverters(context.plugins, given, refusals)
  await askConverters(context.plugins, given, { refusals, signal })
  checkClients(context.workerProperties, given, refusals)
  for (const [name, errors] of Object.entries(connector.refusals?.(given) ?? {})) add(refusals, name, errors)
  if (answers.every(({ errors }) => errors.length === 0) && !Object.values(config).includes(null)) {
    const hasStoredOffsets = context.hasOffsets?.(given['name'] ?? '') ?? false
    const check = { connector, values: definition.parse(config), config: given, refusals }
    await checkConnector(check, { hasStoredOffsets, signal })
  }
  return { values, refusals }
}

/**
 * What Connect itself refuses of a configuration whose references are resolved, by property: its own properties, references that are
 * left, converters, clients. Neither the connector nor the outside world is asked.
 */
export function connectRefusals(
  plugins: Plugins,
  workerProperties: ConfigMap,
  config: ConfigMap,
): ReadonlyMap<string, readonly string[]> {
  const refusals: Refusals = new Map()
  for (const { name, errors } of ownDefinition(plugins).validate(config)) add(refusals, name, errors)
  checkReferences(config, refusals)
  checkConverters(plugins, config, refusals)
  checkClients(workerProperties, config, refusals)
  return refusals
}

/**
 * Values that are references still: no provider has that name. Kafka takes them for the value itself, and the login then fails with
 * the reference as password.
 */
function checkReferences(config: ConfigMap, refusals: Refusals): void {
  for (const [property, value] of Object.entries(config)) {
    const [reference, provider] = /^\s*\$\{([^:{}]+):[^}]+\}\s*$/.exec(value) ?? []
    if (reference === undefined || property.startsWith('transforms.')) continue
    const reason = `the worker has no config provider named ${provider} (its property config.providers)`
    add(refusals, property, [runtimeErrors.CONFIG_REFERENCE({ property, reference: reference.trim(), reason }).message])
  }
}

function ownDefinition(plugins: Plugins): ConfigDef {
  return new ConfigDef(connectorKeys((name, kind) => plugins.checkConverter(name, kind)))
}

interface AnsweredValue {
  readonly key: ConfigKey | null
  readonly config: ConfigInput
  /** As it was read. */
  readonly value: string | null
}

/** What was given, where that is a reference; a property that nobody defines may be anything, so it is not shown. */
function answeredValue({ key, config, value }: AnsweredValue): string | null {
  if (key === null || key.type === 'PASSWORD') return value
  const given = [key.name, ...(key.aliases ?? [])].map((name) => config[name]).find((text) => text !== undefined)
  return given?.includes('${') === true ? given : value
}

function add(refusals: Refusals, name: string, errors: readonly string[]): void {
  refusals.set(name, [...(refusals.get(name) ?? []), ...errors])
}

/** The options of the converters that the connector names itself. */
function checkConverters(plugins: Plugins, config: ConfigMap, refusals: Refusals): void {
  for (const property of ['key.converter', 'value.converter', 'header.converter']) {
    const className = config[property]
    if (className === undefined || (refusals.get(property) ?? []).length > 0) continue
    const spec = converterSpec(property, className, config)
    collect(refusals, property, () =>
      property === 'header.converter'
        ? plugins.headerConverter(spec)
        : plugins.converter(spec, property === 'key.converter'),
    )
  }
}

interface Asking {
  readonly refusals: Refusals
  readonly signal: AbortSignal
}

/** What those converters need outside, such as a schema registry: both at once, since somebody waits for the answer. */
async function askConverters(plugins: Plugins, config: ConfigMap, { refusals, signal }: Asking): Promise<void> {
  const asked = ['key.converter', 'value.converter'].map(async (property) => {
    const className = config[property]
    if (className === undefined || (refusals.get(property) ?? []).length > 0) return
    const converter = plugins.converter(converterSpec(property, className, config), property === 'key.converter')
    try {
      await converter.check?.(signal)
    } catch (error) {
      if (error instanceof StoppedError) throw new HerderError({ tag: 'worker stopping' }, error)
      if (!(error instanceof CodedError)) throw error
      add(refusals, property, [`Invalid settings of ${property}: ${error.message}`])
    }
  })
  await Promise.all(asked)
}

/** `producer.override.…`: a client that cannot be made of them would fail the task. */
function checkClients(workerProperties: ConfigMap, config: ConfigMap, refusals: Refusals): void {
  if (Object.keys(withPrefix(config, 'producer.override.')).length === 0) return
  const properties = clientProperties('producer', workerProperties, config)
  collect(refusals, 'producer.override', () => {
    kafkaOptionsFromProperties(properties)
    producerOptionsFromProperties(properties)
  })
}

/** What the check throws becomes a refusal of the property. */
function collect(refusals: Refusals, property: string, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    add(refusals, property, [`Invalid settings of ${property}: ${error.message}`])
  }
}

interface ConnectorCheck {
  readonly connector: SourceConnector
  readonly values: ConfigValues
  readonly config: ConfigMap
  readonly refusals: Refusals
}

/** What the connector says itself. */
async function checkConnector(check: ConnectorCheck, context: ValidationContext): Promise<void> {
  const { connector, values, config, refusals } = check
  try {
    const found = await connector.validate(values, config, context)
    for (const [name, errors] of Object.entries(found)) add(refusals, name, errors)
  } catch (error) {
    if (error instanceof StoppedError) throw new HerderError({ tag: 'worker stopping' }, error)
    throw new HerderError({ tag: 'validation failed', reason: describeError(error) }, error)
  }
}

/** A property whose value is JSON null is refused by itself, before its other refusals and also when nobody defines it. */
const NULL_VALUE = 'Null value can not be supplied as the configuration value.'

/** A configuration as it is checked: null stands for a property that is not given (Connect's validate takes both). */
export function withoutNulls(config: ConfigInput): ConfigMap {
  return Object.fromEntries(Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null))
}

/** A map as Java prints it. Connect prints every value here; passwords are better left out. */
function renderMap(config: ConfigInput): string {
  const entries = Object.entries(config).map(
    ([name, value]) => `${name}=${value === null ? 'null' : shownValue(name, value)}`,
  )
  return `{${entries.join(', ')}}`
}
