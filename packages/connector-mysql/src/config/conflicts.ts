import type { ConfigMap } from '@tributary/connect-api'

/** A setting that two connectors of this kind should not share. */
interface Shared {
  /** The conflict is reported for the first property; it exists when all values are equal. */
  readonly properties: readonly [string, ...string[]]
  readonly consequence: string | ((connectorType: string) => string)
}

const SHARED: readonly Shared[] = [
  {
    properties: ['topic.prefix'],
    consequence:
      'both write to the topics of that name, so each change of a table that both capture is written twice; give one of them another prefix, or let them capture different tables',
  },
  {
    properties: ['schema.history.internal.kafka.topic', 'schema.history.internal.kafka.bootstrap.servers'],
    consequence:
      'each reads the statements of both at every start, and applies those of the other when the topic.prefix is the same; give each a topic of its own',
  },
  {
    properties: ['database.server.id', 'database.hostname', 'database.port'],
    // MySQL identifies a replica by its UUID, and each connector has its own (../replica-uuid.ts).
    consequence: (connectorType) =>
      connectorType === 'mariadb'
        ? 'MariaDB sends its binlog to only one replica with that number, and ends the connection of the other; give each a number of its own'
        : 'MySQL serves both, but in its list of replicas they cannot be distinguished by that number; give each a number of its own',
  },
]

/**
 * Warnings about settings that the configuration shares with those of other connectors, by property. They may be
 * intended, so they are not refused.
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

/** The value under any of the names of the property. */
function valueOf(config: ConfigMap, property: string): string | null {
  const given = config[property] ?? config[property.replace('.internal.kafka.', '.internal.broker.')] ?? ''
  return given.trim() === '' ? (DEFAULTS[property] ?? null) : given.trim()
}

/** Defaults of optional properties. */
const DEFAULTS: Readonly<Record<string, string>> = { 'database.port': '3306' }
