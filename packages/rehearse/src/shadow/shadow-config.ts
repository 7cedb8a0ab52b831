import { randomInt } from 'node:crypto'

type Config = Readonly<Record<string, string>>

export interface ShadowConfig {
  readonly config: Config
  readonly changed: readonly { readonly property: string; readonly reason: string }[]
}

export interface ShadowConfigOptions {
  /** Default: a random one of the upper half, which nobody uses. */
  readonly serverId?: number | undefined
  readonly isKeyAvro: boolean
  readonly isValueAvro: boolean
}

/**
 * The configuration with which a connector runs beside itself. The records do not leave the process, so that topics keep
 * their names: prefix, routes of transformations and the names of schemas are those of the connector.
 */
export function shadowConfig(original: Config, options: ShadowConfigOptions): ShadowConfig {
  const config: Record<string, string> = { ...original }
  const changed: { property: string; reason: string }[] = []
  const set = (property: string, value: string | null, reason: string): void => {
    if (value === null) delete config[property]
    else config[property] = value
    changed.push({ property, reason })
  }
  const serverId = options.serverId ?? randomInt(2 ** 31, 2 ** 32 - 1)
  set('database.server.id', String(serverId), 'the server ends the connection of an earlier replica with the same id')
  for (const property of Object.keys(original)) {
    const reason = REMOVED.find(([pattern]) => pattern.test(property))?.[1]
    if (reason !== undefined) set(property, null, reason)
  }
  const mode = original['snapshot.mode']
  if (mode !== undefined && BEGINS_ANEW.has(mode)) {
    set(
      'snapshot.mode',
      'no_data',
      `a rehearsal takes no snapshot; a start of this connector may (snapshot.mode=${mode})`,
    )
  }
  if (options.isKeyAvro) plain('key.converter', set)
  if (options.isValueAvro) plain('value.converter', set)
  return { config, changed }
}

function plain(property: string, set: (property: string, value: string | null, reason: string) => void): void {
  set(property, 'org.apache.kafka.connect.json.JsonConverter', 'a rehearsal registers no schemas: it compares values')
  set(`${property}.schemas.enable`, 'false', 'the same')
  set(`${property}.decimal.format`, 'NUMERIC', 'the same')
}

/** They would act on the source, on topics or on files. */
const REMOVED: readonly (readonly [RegExp, string])[] = [
  [
    /^heartbeat\.(interval\.ms|action\.query)$/,
    'heartbeats depend on the time, and their statement is for the connector alone',
  ],
  [/^binlog\.spool\./, 'a rehearsal keeps nothing'],
]

const BEGINS_ANEW: ReadonlySet<string> = new Set(['always', 'recovery', 'when_needed', 'configuration_based'])
