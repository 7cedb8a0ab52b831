import type { ConfigMap } from '@tributary/connect-api'
import { randomServerId } from '@tributary/rehearse'
import type { DatabaseAddress } from '../source/database-url.ts'
import { readAssignment, sourceProperties } from '../source/source-properties.ts'

export type TailFormat = 'pretty' | 'json' | 'sql'

export interface TailConfigOptions {
  readonly address: DatabaseAddress
  readonly password: string
  readonly format: TailFormat
  readonly snapshot: boolean
  /** `property=value`, as given. */
  readonly set: readonly string[]
}

/** `topic.prefix` of a command that has no topics: it is `source.name` of its documents. */
export const TAIL_NAME = 'tail'

/** The properties of a connector that captures what the URL names, without its class. */
export function tailConfig({ address, password, format, snapshot, set }: TailConfigOptions): ConfigMap {
  const given = Object.fromEntries(set.map((text) => readAssignment(text, (property) => refusalOf(property, format))))
  const config: Record<string, string> = {
    ...sourceProperties(address, password),
    'topic.prefix': TAIL_NAME,
    'snapshot.mode': snapshot ? 'initial' : 'no_data',
    // Without rows to read nothing is locked, so that the user needs no privilege for it.
    ...(snapshot ? {} : { 'snapshot.locking.mode': 'none' }),
    'tombstones.on.delete': 'false',
    'skipped.operations': 'none',
    'include.schema.changes': String(format !== 'json'),
    'schema.history.internal.store.only.captured.tables.ddl': 'true',
    // Required of connectors; nothing uses them, since nothing is kept.
    'schema.history.internal.kafka.topic': TAIL_NAME,
    'schema.history.internal.kafka.bootstrap.servers': 'localhost:9092',
    ...given,
  }
  return { 'database.server.id': String(randomServerId(config)), ...config }
}

function refusalOf(property: string, format: TailFormat): string | null {
  if (FIXED.test(property)) return 'the command sets this property itself'
  if (format === 'json' || !OF_VALUES.test(property)) return null
  return `--format ${format} prints the values of the database, whatever form a property asks for: use it with --format json`
}

/** Their values come from the command line, or belong to Kafka. */
const FIXED =
  /^(name|connector\.class|tasks\.max|topic\.prefix|database\.(hostname|port|user|password)|schema\.history\..*|key\.converter.*|value\.converter|include\.schema\.changes|producer\..*|errors\..*|binlog\.spool\..*|signal\..*|heartbeat\..*|snapshot\.mode)$/

/** They change values, keys or the form of records. */
const OF_VALUES =
  /^(transforms.*|predicates.*|converters|post\.processors.*|column\.(mask|truncate|include|exclude|propagate).*|message\.key\.columns|provide\.transaction\.metadata|value\.converter.*|field\.name\.adjustment\.mode|schema\.name\.adjustment\.mode|tombstones\.on\.delete)/
