import type { ConfigMap } from '@tributary/connect-api'

/** Something that two connectors of this kind had better not share. */
interface Shared {
  /** Told of the first one; all of them have to be alike. */
  readonly properties: readonly [string, ...string[]]
  readonly consequence: string | ((connectorType: string) => string)
}

const SHARED: readonly Shared[] = [
  {
    properties: ['topic.prefix'],
    consequence:
      'both write to the topics of that name, so each change of a table that both capture is told twice; give one of them another prefix, or let each capture tables of its own',
  },
  {
    properties: ['schema.history.internal.kafka.topic', 'schema.history.internal.kafka.bootstrap.servers'],
    consequence:
      'each reads the statements of both at every start, and takes them for its own where the topic.prefix is the same; give each a topic of its own',
  },
  {
    properties: ['database.server.id', 'database.hostname', 'database.port'],
    // MySQL goes by the UUID of a replica, of which each connector has one of its own (../replica-uuid.ts).
    consequence: (connectorType) =>
      connectorType === 'mariadb'
        ? 'MariaDB sends its binlog to one replica of a number, and ends the connection of the other; give each a number of its own'
        : 'MySQL serves both, but who looks at its replicas cannot tell them apart by that number; give each a number of its own',
  },
]

/**
 * What the configuration shares with those of other connectors, by property. It may be meant so: none is refused.
 *
 * @param connectorType as in `ConnectorKind`
 */
export function conflictsWith(
  connectorType: string,
  config: ConfigMap,
  others: ReadonlyMap<string, ConfigMap>,
): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {}
  for (const { properties, consequence } of SHARED) {
    const [property] = properties
    const value = valueOf(config, property)
    if (value === null) continue
    const isAlike = (other: ConfigMap): boolean =>
      properties.every((each) => valueOf(config, each) === valueOf(other, each))
    const names = [...others].flatMap(([name, other]) => (isAlike(other) ? [name] : []))
    if (names.length === 0) continue
    const text = typeof consequence === 'string' ? consequence : consequence(connectorType)
    found[property] = [`${property}=${value} is also that of ${names.join(', ')}: ${text}`]
  }
  return found
}

/** Under each of the names that a property has. */
function valueOf(config: ConfigMap, property: string): string | null {
  const given = config[property] ?? config[property.replace('.internal.kafka.', '.internal.broker.')] ?? ''
  return given.trim() === '' ? (DEFAULTS[property] ?? null) : given.trim()
}

/** Of the properties that need not be given. */
const DEFAULTS: Readonly<Record<string, string>> = { 'database.port': '3306' }
