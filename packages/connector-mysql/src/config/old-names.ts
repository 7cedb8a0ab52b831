/** A property of an earlier release of Debezium. */
export interface OldName {
  /** A whole name, or a prefix that ends with a dot. */
  readonly old: string
  /** The property that replaces it; for a prefix, the prefix. */
  readonly name: string
  /** The first release without the old name; null: it is a name of Debezium in no release, but documents have it. */
  readonly until: string | null
  /** Converts the value where its form has changed, too. Null: it has no equivalent. */
  readonly convert?: (value: string, topicPrefix: string) => string | null
  /** What `convert` does, for the reference page. */
  readonly conversion?: string
}

const lists = ['database', 'table', 'column'].flatMap((what): readonly OldName[] => [
  { old: `${what}.whitelist`, name: `${what}.include.list`, until: '2.0' },
  { old: `${what}.blacklist`, name: `${what}.exclude.list`, until: '2.0' },
])

/** The first entry that fits counts. */
export const oldNames: readonly OldName[] = [
  { old: 'database.server.name', name: 'topic.prefix', until: '2.0' },
  ...lists,
  { old: 'gtid.source.whitelist', name: 'gtid.source.includes', until: null },
  { old: 'gtid.source.blacklist', name: 'gtid.source.excludes', until: null },
  {
    old: 'database.history.store.only.monitored.tables.ddl',
    name: 'schema.history.internal.store.only.captured.tables.ddl',
    until: '2.0',
  },
  {
    old: 'schema.history.internal.store.only.monitored.tables.ddl',
    name: 'schema.history.internal.store.only.captured.tables.ddl',
    until: '2.0',
  },
  { old: 'database.history', name: 'schema.history.internal', until: '2.0' },
  { old: 'database.history.', name: 'schema.history.internal.', until: '2.0' },
  { old: 'heartbeat.topics.prefix', name: 'topic.heartbeat.prefix', until: '3.6' },
  {
    old: 'transaction.topic',
    name: 'topic.transaction',
    until: '3.6',
    convert: (value, topicPrefix) => {
      const start = ['${database.server.name}.', `${topicPrefix}.`].find((each) => value.trim().startsWith(each))
      return start === undefined ? null : value.trim().slice(start.length)
    },
    conversion: 'The part of the topic name that follows the prefix and a dot. Another topic name has no effect.',
  },
  {
    old: 'event.deserialization.failure.handling.mode',
    name: 'event.processing.failure.handling.mode',
    until: '2.0',
  },
  {
    old: 'sanitize.field.names',
    name: 'field.name.adjustment.mode',
    until: '2.0',
    convert: (value) => booleanAs(value, { true: 'avro', false: 'none' }),
    conversion: '`true` is `avro`, `false` is `none`.',
  },
  {
    old: 'snapshot.minimal.locking',
    name: 'snapshot.locking.mode',
    until: '0.10',
    convert: (value) => booleanAs(value, { true: 'minimal', false: 'extended' }),
    conversion: '`true` is `minimal`, `false` is `extended`.',
  },
  ...['database', 'driver'].flatMap((place): readonly OldName[] => [
    {
      old: `${place}.sslMode`,
      name: 'database.ssl.mode',
      until: null,
      convert: (value) => value.trim().toLowerCase(),
      conversion: 'In lower case.',
    },
    {
      old: `${place}.requireSSL`,
      name: 'database.ssl.mode',
      until: null,
      convert: (value) => (value.trim().toLowerCase() === 'true' ? 'required' : null),
      conversion: '`true` is `required`, `false` has no effect.',
    },
  ]),
  { old: 'database.allowPublicKeyRetrieval', name: 'driver.allowPublicKeyRetrieval', until: '2.0' },
]

/** A text that is no boolean stays as it is, so that the error of the successor shows it. */
function booleanAs(value: string, values: Readonly<Record<'true' | 'false', string>>): string {
  const given = value.trim().toLowerCase()
  return given === 'true' || given === 'false' ? values[given] : value
}

/** The entry for a property; `name` is the whole name of its successor. Null: the name is not an old one. */
export function oldNameOf(property: string): OldName | null {
  for (const each of oldNames) {
    if (each.old === property) return each
    if (each.old.endsWith('.') && property.startsWith(each.old)) {
      return { ...each, name: each.name + property.slice(each.old.length) }
    }
  }
  return null
}

/** The old names of a property. */
export function oldNamesOf(property: string): readonly string[] {
  return oldNames.flatMap(({ old, name, convert }) => {
    if (convert !== undefined) return []
    if (name === property) return [old]
    return name.endsWith('.') && property.startsWith(name) ? [old + property.slice(name.length)] : []
  })
}
