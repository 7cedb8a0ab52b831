import {
  ConfigDef,
  type ConfigMap,
  type ConfigValues,
  type SourceConnector,
  type SourcePlugin,
} from '@tributary/connect-api'
import { kafkaOptionsFromProperties, producerOptionsFromProperties } from '@tributary/kafka'
import { CodedError, describeError, StoppedError, toError } from '@tributary/support'
import { clientProperties } from '../config/client-properties.ts'
import { connectorKeys } from '../config/connector-keys.ts'
import { ConfigProviders } from '../config/providers/config-providers.ts'
import { converterSpec, withPrefix } from '../config/worker-config.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { RequestError } from './herder.ts'

type ConfigInput = Readonly<Record<string, string | null>>

/** Refusals by property, in the order in which they are told. */
type Refusals = Map<string, readonly string[]>

export interface ValidationContext {
  readonly plugins: Plugins
  /** As given: with references. */
  readonly workerProperties: ConfigMap
}

/**
 * Checks a connector's configuration as Connect does before it stores one: the class, Connect's own properties, the
 * connector's, and what the connector itself asks of the outside world. What Connect would find out only when the task starts
 * (settings of converters and clients) is checked here too. Gives the configuration; refusals are status 400 in Connect's words.
 */
export async function validateConnector(
  context: ValidationContext,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<ConfigMap> {
  const connector = findPlugin(context.plugins, config).createConnector()
  const errors = await collectResolved(context, connector, config, signal)
  if (errors.length > 0) throw new RequestError(400, refusal(errors))
  return withoutNulls(config)
}

function findPlugin(plugins: Plugins, config: ConfigInput): SourcePlugin {
  const className = config['connector.class'] ?? null
  if (className === null) {
    throw new RequestError(400, `Connector config ${renderMap(config)} contains no connector type`)
  }
  const plugin = plugins.source(className)
  if (plugin === null) throw new RequestError(400, plugins.unknownConnectorText(className))
  return plugin
}

/** Checks the values that references stand for; refusals show the references only. */
async function collectResolved(
  context: ValidationContext,
  connector: SourceConnector,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const providers = ConfigProviders.of(context.workerProperties)
  const worker = providers.resolve(context.workerProperties)
  const { config: resolved, errors, mask: ownMask } = providers.resolve(withoutNulls(config))
  if (errors.size > 0) return [...errors.values()].map(({ message }) => message)
  const mask = ownMask.with(worker.mask)
  try {
    const refusals = await collectErrors(
      { ...context, workerProperties: worker.config },
      connector,
      { ...config, ...resolved },
      signal,
    )
    return refusals.map((text) => mask.text(text))
  } catch (error) {
    if (error instanceof StoppedError) throw error
    if (!(error instanceof RequestError)) throw mask.error(toError(error))
    throw new RequestError(error.status, mask.text(error.message), mask.error(error))
  }
}

/** All refusals: Connect's own properties first, then the connector's, each in the order of definition. */
async function collectErrors(
  context: ValidationContext,
  connector: SourceConnector,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const own = new ConfigDef(connectorKeys((name, kind) => context.plugins.checkConverter(name, kind)))
  const definition = connector.config()
  const refusals: Refusals = new Map()
  for (const { name, errors } of [...own.validate(config), ...definition.validate(config)]) {
    add(refusals, name, errors)
  }
  const isValid = [...refusals.values()].every((errors) => errors.length === 0)
  if (isValid && !Object.values(config).includes(null)) {
    const given = withoutNulls(config)
    checkConverters(context.plugins, given, refusals)
    checkClients(context.workerProperties, given, refusals)
    await checkConnector({ connector, values: definition.parse(config), config: given, refusals }, signal)
  }
  return withNullRefusals(config, refusals)
}

function add(refusals: Refusals, name: string, errors: readonly string[]): void {
  refusals.set(name, [...(refusals.get(name) ?? []), ...errors])
}

/** The options of the converters that the connector names itself. */
function checkConverters(plugins: Plugins, config: ConfigMap, refusals: Refusals): void {
  for (const property of ['key.converter', 'value.converter', 'header.converter']) {
    const className = config[property]
    if (className === undefined) continue
    const spec = converterSpec(property, className, config)
    collect(refusals, property, () =>
      property === 'header.converter'
        ? plugins.headerConverter(spec)
        : plugins.converter(spec, property === 'key.converter'),
    )
  }
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
async function checkConnector(check: ConnectorCheck, signal: AbortSignal): Promise<void> {
  const { connector, values, config, refusals } = check
  try {
    const found = await connector.validate(values, config, signal)
    for (const [name, errors] of Object.entries(found)) add(refusals, name, errors)
  } catch (error) {
    if (error instanceof StoppedError) throw new RequestError(500, 'Worker is shutting down', error)
    throw new RequestError(500, describeError(error), error)
  }
}

/** A property whose value is JSON null is refused by itself, before its other refusals and also when nobody defines it. */
function withNullRefusals(config: ConfigInput, refusals: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const all: string[] = []
  for (const [name, errors] of refusals) {
    if (config[name] === null) all.push(NULL_VALUE)
    all.push(...errors)
  }
  for (const [name, value] of Object.entries(config)) if (value === null && !refusals.has(name)) all.push(NULL_VALUE)
  return all
}

const NULL_VALUE = 'Null value can not be supplied as the configuration value.'

function refusal(errors: readonly string[]): string {
  return [
    `Connector configuration is invalid and contains the following ${errors.length} error(s):`,
    ...errors,
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n')
}

function withoutNulls(config: ConfigInput): ConfigMap {
  return Object.fromEntries(Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null))
}

/** A map as Java prints it. Connect prints every value here; passwords are better left out. */
function renderMap(config: ConfigInput): string {
  const entries = Object.entries(config).map(([name, value]) => `${name}=${SECRET.test(name) ? '[hidden]' : value}`)
  return `{${entries.join(', ')}}`
}

const SECRET = /password|secret|jaas\.config|\.key$|token/i
