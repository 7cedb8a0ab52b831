import type { ConfigMap } from '@tributary/connect-api'
import { randomServerId } from '@tributary/rehearse'
import { cliErrors } from '../errors.ts'
import type { TailAddress } from './tail-url.ts'

export type TailFormat = 'pretty' | 'json' | 'sql'

export interface TailConfigOptions {
  readonly address: TailAddress
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
  const { host, port, user, database, table } = address
  const given = Object.fromEntries(set.map((text) => propertyOf(text, format)))
  const config: Record<string, string> = {
    'database.hostname': host,
    'database.port': String(port),
    'database.user': user ?? '',
    'database.password': password,
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
    ...(database === null ? {} : { 'database.include.list': pattern(database) }),
    ...(database === null || table === null ? {} : { 'table.include.list': pattern(`${database}.${table}`) }),
    ...given,
  }
  return { 'database.server.id': String(randomServerId(config)), ...config }
}

/** A regular expression of the list that matches the name only. A comma would end it. */
function pattern(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|,]/g, (character) => (character === ',' ? '\\x2c' : `\\${character}`))
}

function propertyOf(text: string, format: TailFormat): readonly [string, string] {
  const at = text.indexOf('=')
  if (at <= 0) throw cliErrors.TAIL_SET({ text, reason: 'it is not of the form property=value' })
  const property = text.slice(0, at).trim()
  if (FIXED.test(property)) {
    throw cliErrors.TAIL_SET({ text: property, reason: 'the command sets this property itself' })
  }
  if (format !== 'json' && OF_VALUES.test(property)) {
    const reason = `--format ${format} prints the values of the database, whatever form a property asks for`
    throw cliErrors.TAIL_SET({ text: property, reason: `${reason}: use it with --format json` })
  }
  return [property, text.slice(at + 1)]
}

/** Their values come from the command line, or belong to Kafka. */
const FIXED =
  /^(name|connector\.class|tasks\.max|topic\.prefix|database\.(hostname|port|user|password)|schema\.history\..*|key\.converter.*|value\.converter|include\.schema\.changes|producer\..*|errors\..*|binlog\.spool\..*|signal\..*|heartbeat\..*|snapshot\.mode)$/

/** They change values, keys or the form of records. */
const OF_VALUES =
  /^(transforms.*|predicates.*|converters|post\.processors.*|column\.(mask|truncate|include|exclude|propagate).*|message\.key\.columns|provide\.transaction\.metadata|value\.converter.*|field\.name\.adjustment\.mode|schema\.name\.adjustment\.mode|tombstones\.on\.delete)/
