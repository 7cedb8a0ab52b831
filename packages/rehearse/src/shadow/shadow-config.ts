import { randomServerId } from './server-id.ts'
import { sessionStatements } from './session-statements.ts'

type Config = Readonly<Record<string, string>>

export interface ShadowConfig {
  readonly config: Config
  readonly changed: readonly { readonly property: string; readonly reason: string }[]
}

export interface ShadowConfigOptions {
  /** Default: a random one, which the caller has not compared with those of the server's replicas. */
  readonly serverId?: number | undefined
  readonly isKeyAvro: boolean
  readonly isValueAvro: boolean
}

/**
 * The configuration with which a connector runs beside itself. The records do not leave the process, so that topics
 * keep their names: prefix, routes of transformations and the names of schemas are those of the connector.
 */
export function shadowConfig(original: Config, options: ShadowConfigOptions): ShadowConfig {
  const config: Record<string, string> = { ...original }
  const changed: { property: string; reason: string }[] = []
  const set = (property: string, value: string | null, reason: string): void => {
    if (value === null) delete config[property]
    else config[property] = value
    changed.push({ property, reason })
  }
  const serverId = options.serverId ?? randomServerId(original)
  set('database.server.id', String(serverId), 'the server ends the connection of an earlier replica with the same id')
  for (const property of Object.keys(original)) {
    const reason = REMOVED.find(([pattern]) => pattern.test(property))?.[1]
    if (reason !== undefined) set(property, null, reason)
  }
  const { kept, left } = sessionStatements(original[STATEMENTS] ?? '')
  if (left.length > 0) {
    set(
      STATEMENTS,
      kept === '' ? null : kept,
      `a rehearsal only sets its session, and leaves out ${left.map((each) => each.split(/\s/, 1)[0]).join(', ')}`,
    )
  }
  const mode = original['snapshot.mode']
  const taken = mode === undefined ? undefined : SNAPSHOTS[mode]
  if (taken !== undefined) {
    set('snapshot.mode', 'no_data', `a rehearsal takes no snapshot; ${taken} (snapshot.mode=${mode})`)
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
]

const STATEMENTS = 'database.initial.statements'

/** By `snapshot.mode`: the snapshot that a start with a stored offset takes, and therefore the move. */
const SNAPSHOTS: Readonly<Record<string, string>> = {
  always: 'the move would take one of all tables, as each start does',
  recovery: 'the move would rebuild the schema history, as each start does',
  when_needed: 'the move would take one if the server no longer had the stored position',
  configuration_based: 'the move would take one if snapshot.mode.configuration.based.… says so',
}
