import type { ConfigMap } from '@tributary/connect-api'
import { runtimeErrors } from '../errors.ts'
import { variableOf } from './environment.ts'
import { workerKeys } from './worker-keys.ts'

export interface UnsupportedSetting {
  /** The value with which the setting has no effect. */
  readonly neutral: string
  /** What would happen if the worker ignored it. */
  readonly consequence: string
}

const EXTENSIONS = 'rest.extension.classes'

/**
 * Settings of Connect that cannot be ignored without weakening its security or guarantees: the worker refuses to start
 * with them.
 */
export const refusedSettings: ReadonlyMap<string, UnsupportedSetting> = new Map([
  [
    EXTENSIONS,
    { neutral: '', consequence: 'without it everybody who reaches the REST interface could change connectors' },
  ],
])

/** @throws WORKER_SETTING_UNSUPPORTED */
export function refuseUnsupportedSettings(properties: ConfigMap): void {
  for (const [property, { neutral, consequence }] of refusedSettings) {
    const value = properties[property]?.trim() ?? ''
    if (value === '' || value.toLowerCase() === neutral.toLowerCase() || isReplaced(property, value, properties))
      continue
    const variable = variableOf(property)
    const instead = property === EXTENSIONS ? '; a login is set with rest.auth.basic.file or rest.auth.bearer.file' : ''
    throw runtimeErrors.WORKER_SETTING_UNSUPPORTED({ property, value, reason: consequence + instead, variable })
  }
}

/** Connect's own login is that of `rest.auth.basic.file`, whose file has the form of its PropertyFileLoginModule. */
function isReplaced(property: string, value: string, properties: ConfigMap): boolean {
  return property === EXTENSIONS && value === BASIC_LOGIN && isSet(properties['rest.auth.basic.file'])
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== ''
}

const BASIC_LOGIN = 'org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension'

/** The prefixes of settings for converters, clients and topics, which read their own settings. */
const PASSED_ON =
  /^((key|value|header)\.converter|config\.providers|producer|consumer|admin|(config|offset|status)\.storage|ssl|sasl|security|listeners\.https)\./

/** Settings of the connection to the brokers, which have no prefix. */
const CLIENT_SETTINGS: ReadonlySet<string> = new Set([
  'client.id',
  'request.timeout.ms',
  'metadata.max.age.ms',
  'socket.connection.setup.timeout.ms',
])

/** Settings of Connect's REST interface that have no effect, with what happens instead. Each that is set is a warning. */
const DROPPED: ReadonlyMap<string, string> = new Map([
  [
    'admin.listeners',
    'the listeners of the REST interface answer /admin, too; a login (rest.auth.basic.file) protects it',
  ],
  ['access.control.allow.origin', 'browsers let no page of another origin read an answer; serve both from one origin'],
  ['access.control.allow.methods', 'browsers let no page of another origin send a request with JSON'],
  ['response.http.headers.config', 'answers do not have these headers; let a proxy add them'],
])

/** Warnings about them. */
export function droppedRestSettings(properties: ConfigMap): readonly string[] {
  return [...DROPPED].flatMap(([name, instead]) =>
    // An empty list of admin listeners switches /admin off in Kafka Connect.
    isSet(properties[name]) || (name === 'admin.listeners' && properties[name] !== undefined)
      ? [`The worker setting ${name} is not supported: ${instead}`]
      : [],
  )
}

const KNOWN: ReadonlySet<string> = new Set([
  ...workerKeys.map(({ name }) => name),
  ...refusedSettings.keys(),
  ...DROPPED.keys(),
])

/** Settings that have no effect in this version: tuning settings of Connect, and misspelt names. */
export function ignoredSettings(properties: ConfigMap): readonly string[] {
  return Object.keys(properties).filter(
    (name) => !KNOWN.has(name) && !CLIENT_SETTINGS.has(name) && !PASSED_ON.test(name),
  )
}
