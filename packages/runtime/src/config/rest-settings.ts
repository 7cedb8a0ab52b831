import type { ConfigMap, ConfigValues } from '@tributary/connect-api'
import { invalidSetting } from './invalid-setting.ts'

export const PORT_MAX = 65_535

/** An address on which the REST interface listens. */
export interface RestListener {
  readonly isTls: boolean
  /** Null: all interfaces. */
  readonly host: string | null
  readonly port: number
}

/** What the worker's settings say about the REST interface and its page. Files that they name are not read yet. */
export interface RestSettings {
  /** At least one. */
  readonly listeners: readonly RestListener[]
  /** `/cdc`: requests may have it before their path; empty: none. */
  readonly pathPrefix: string
  /** Names and passwords; null: no basic authentication. */
  readonly basicFile: string | null
  /** Names and tokens; null: no bearer authentication. */
  readonly bearerFile: string | null
  /** Users of these files who may only read. */
  readonly readOnlyUsers: readonly string[]
  /** Whether there is a page at `/ui`. */
  readonly hasPage: boolean
  /** Who may read the records of topics on the page. */
  readonly eventReaders: EventReadersSetting
  /** Topics that the page may read besides those with the prefix of their connector: names, or beginnings and `*`. */
  readonly eventTopics: readonly string[]
}

const EVENT_READERS = ['full', 'all', 'none'] as const
export type EventReadersSetting = (typeof EVENT_READERS)[number]

export function readRestSettings(values: ConfigValues): RestSettings {
  const listeners = values.list('listeners').map(parseListener)
  const single = { isTls: false, host: values.optionalString('rest.host.name'), port: values.integer('rest.port') }
  return {
    listeners: listeners.length === 0 ? [single] : listeners,
    pathPrefix: parsePrefix(values.optionalString('rest.path.prefix') ?? ''),
    basicFile: values.optionalString('rest.auth.basic.file'),
    bearerFile: values.optionalString('rest.auth.bearer.file'),
    readOnlyUsers: values.list('rest.auth.read.only.users'),
    hasPage: values.boolean('ui.enabled'),
    eventReaders: EVENT_READERS.find((each) => each === values.string('ui.events')) ?? 'none',
    eventTopics: values.list('ui.events.topics'),
  }
}

/** A listener in Connect's form. */
function parseListener(listener: string): RestListener {
  const [, protocol, host, port] = /^(.*):\/\/\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)$/.exec(listener) ?? []
  if (protocol === undefined || Number(port) < 0 || Number(port) > PORT_MAX) {
    throw invalidSetting('listeners', `Listener doesn't have the right format (protocol://hostname:port): ${listener}`)
  }
  const scheme = protocol.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') {
    throw invalidSetting('listeners', `listeners=${listener}: the protocol must be http or https`)
  }
  return { isTls: scheme === 'https', host: host === undefined || host === '' ? null : host, port: Number(port) }
}

/** Segments that no proxy rewrites. */
const PREFIX = /^(\/[\w.~-]+)+$/

function parsePrefix(text: string): string {
  const prefix = text.trim().replace(/\/$/, '')
  if (prefix === '') return ''
  if (PREFIX.test(prefix) && !/\/\.{1,2}(\/|$)/.test(prefix)) return prefix
  throw invalidSetting(
    'rest.path.prefix',
    `rest.path.prefix=${text}: a prefix is a path such as /cdc, of letters, digits and -._~`,
  )
}

/** The settings of the TLS listeners: `listeners.https.…` if one is set, otherwise those without a prefix. */
export function listenerTlsProperties(properties: ConfigMap): ConfigMap {
  const own = Object.entries(properties).filter(([name]) => name.startsWith(HTTPS))
  return own.length === 0
    ? properties
    : Object.fromEntries(own.map(([name, value]) => [name.slice(HTTPS.length), value]))
}

const HTTPS = 'listeners.https.'
