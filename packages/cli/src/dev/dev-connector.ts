import type { ConfigMap } from '@tributary/connect-api'
import type { DatabaseAddress } from '../source/database-url.ts'
import { readAssignment, sourceProperties } from '../source/source-properties.ts'

/** A connector of `tributary dev`: what it reads, under which name. */
export interface DevConnector {
  /** Also the prefix of its topics; without a dot. */
  readonly name: string
  /** Without a password. */
  readonly address: DatabaseAddress
}

/**
 * Names connectors after their databases, or hosts. A connector that is known keeps its name.
 *
 * @param known those of earlier starts
 */
export function nameConnectors(
  addresses: readonly DatabaseAddress[],
  known: readonly DevConnector[],
): readonly DevConnector[] {
  const taken = new Set([...RESERVED, ...known.map(({ name }) => name)])
  const named = new Map(known.map((connector) => [targetOf(connector.address), connector.name]))
  for (const address of addresses) {
    if (named.has(targetOf(address))) continue
    const name = freeName(address, taken)
    taken.add(name)
    named.set(targetOf(address), name)
  }
  return addresses.map((address) => ({ name: named.get(targetOf(address)) ?? '', address: withoutLogin(address) }))
}

/** The names of other topics begin with these. */
const RESERVED = ['connect-configs', 'connect-offsets', 'connect-statuses', 'schema-history']

/** Whatever the login. */
export function targetOf({ host, port, database, table }: DatabaseAddress): string {
  return JSON.stringify([host, port, database, table])
}

function withoutLogin(address: DatabaseAddress): DatabaseAddress {
  return { ...address, password: null }
}

function freeName({ host, database }: DatabaseAddress, taken: ReadonlySet<string>): string {
  const base = (database ?? host).replaceAll(/[^\w-]/g, '_').slice(0, NAME_MAX)
  const isFree = (name: string): boolean => !taken.has(name)
  if (isFree(base)) return base
  for (let number = 2; ; number++) if (isFree(`${base}-${number}`)) return `${base}-${number}`
}

/** As of databases and tables; together they must fit into the name of a topic. */
const NAME_MAX = 64

export interface DevConfigOptions {
  /** `io.debezium.connector.mysql.MySqlConnector` or that of MariaDB. */
  readonly className: string
  /** The password, or a reference to it. */
  readonly password: string
  /** Address of the broker, or a reference to it. */
  readonly bootstrapServers: string
  /** Null: the caller adds it. */
  readonly serverId: string | null
  readonly snapshot: boolean
  /** `property=value`, as given. */
  readonly set: readonly string[]
}

/** The configuration of a connector. */
export function devConfig({ name, address }: DevConnector, options: DevConfigOptions): ConfigMap {
  const { className, password, bootstrapServers, serverId, snapshot, set } = options
  return {
    'connector.class': className,
    'tasks.max': '1',
    ...sourceProperties(address, password),
    ...(serverId === null ? {} : { 'database.server.id': serverId }),
    'topic.prefix': name,
    'snapshot.mode': snapshot ? 'initial' : 'no_data',
    'schema.history.internal.kafka.bootstrap.servers': bootstrapServers,
    'schema.history.internal.kafka.topic': historyTopic(name),
    // The worker creates the topics; a broker that creates them answers the first requests with an error.
    'topic.creation.default.partitions': '1',
    'topic.creation.default.replication.factor': '1',
    ...Object.fromEntries(set.map((text) => readAssignment(text, refusalOf))),
  }
}

/** Its name begins like none of the connectors' topics. */
export function historyTopic(name: string): string {
  return `schema-history.${name}`
}

function refusalOf(property: string): string | null {
  if (FIXED.test(property)) return 'the command sets this property itself'
  if (!OF_FORM.test(property)) return null
  return 'the command prints the events from their topics as JSON: use tributary start --dev-broker'
}

const FIXED =
  /^(name|connector\.class|tasks\.max|topic\.prefix|database\.(hostname|port|user|password|server\.id)|schema\.history\.internal\.kafka\..*|snapshot\.mode)$/
/** The names of topics, and the form of records. */
const OF_FORM = /^(key\.converter|value\.converter|topic\.naming\..*|topic\.delimiter|producer\.override\..*)$/
