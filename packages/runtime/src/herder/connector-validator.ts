import {
  ConfigDef,
  type ConfigMap,
  type ConfigValues,
  type SourceConnector,
  type SourcePlugin,
} from '@tributary/connect-api'
import { describeError, StoppedError } from '@tributary/support'
import { connectorKeys } from '../config/connector-keys.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { RequestError } from './herder.ts'

/** A configuration without refusals, and the plug-in that it names. */
export interface ValidConnector {
  readonly config: ConfigMap
  readonly plugin: SourcePlugin
}

type ConfigInput = Readonly<Record<string, string | null>>

/**
 * Checks a connector's configuration as Connect does before it stores one: the class, Connect's own properties, the
 * connector's, and what the connector itself asks of the outside world. Refusals are status 400 in Connect's words.
 */
export async function validateConnector(
  plugins: Plugins,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<ValidConnector> {
  const plugin = findPlugin(plugins, config)
  const connector = plugin.createConnector()
  const errors = await collectErrors(plugins, connector, config, signal)
  if (errors.length > 0) throw new RequestError(400, refusal(errors))
  return { config: nonNull(config), plugin }
}

function findPlugin(plugins: Plugins, config: ConfigInput): SourcePlugin {
  const className = config['connector.class'] ?? null
  if (className === null) {
    throw new RequestError(400, `Connector config ${renderMap(config)} contains no connector type`)
  }
  const plugin = plugins.source(className)
  if (plugin !== null) return plugin
  // The prefix is what a worker answers from the second request on.
  const text = `org.apache.kafka.connect.errors.ConnectException: ${plugins.unknownConnectorText(className)}`
  throw new RequestError(400, text)
}

/** All refusals: Connect's own properties first, then the connector's, each in the order of definition. */
async function collectErrors(
  plugins: Plugins,
  connector: SourceConnector,
  config: ConfigInput,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const own = new ConfigDef(connectorKeys((name, kind) => plugins.checkConverter(name, kind)))
  const definition = connector.config()
  const byName = new Map<string, readonly string[]>()
  for (const { name, errors } of [...own.validate(config), ...definition.validate(config)]) {
    byName.set(name, [...(byName.get(name) ?? []), ...errors])
  }
  const isValid = [...byName.values()].every((errors) => errors.length === 0) && !Object.values(config).includes(null)
  const values = isValid ? definition.parse(config) : null
  if (values !== null) await addOwnChecks({ connector, values, config: nonNull(config), byName }, signal)
  return withNullRefusals(config, byName)
}

interface OwnChecks {
  readonly connector: SourceConnector
  readonly values: ConfigValues
  readonly config: ConfigMap
  /** Refusals so far; those of the connector are added. */
  readonly byName: Map<string, readonly string[]>
}

async function addOwnChecks({ connector, values, config, byName }: OwnChecks, signal: AbortSignal): Promise<void> {
  let found: Readonly<Record<string, readonly string[]>>
  try {
    found = await connector.validate(values, config, signal)
  } catch (error) {
    if (error instanceof StoppedError) throw new RequestError(500, 'Request timed out')
    throw new RequestError(500, describeError(error), error)
  }
  for (const [name, errors] of Object.entries(found)) byName.set(name, [...(byName.get(name) ?? []), ...errors])
}

/** A property whose value is JSON null is refused by itself, before its other refusals and also when nobody defines it. */
function withNullRefusals(config: ConfigInput, byName: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const all: string[] = []
  for (const [name, errors] of byName) {
    if (config[name] === null) all.push(NULL_VALUE)
    all.push(...errors)
  }
  for (const [name, value] of Object.entries(config)) if (value === null && !byName.has(name)) all.push(NULL_VALUE)
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

function nonNull(config: ConfigInput): ConfigMap {
  return Object.fromEntries(Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null))
}

/** A map as Java prints it. Connect prints every value here; passwords are better left out. */
function renderMap(config: ConfigInput): string {
  const entries = Object.entries(config).map(([name, value]) => `${name}=${SECRET.test(name) ? '[hidden]' : value}`)
  return `{${entries.join(', ')}}`
}

const SECRET = /password|secret|jaas\.config|\.key$|token/i
