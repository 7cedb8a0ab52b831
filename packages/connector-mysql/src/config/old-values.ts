/** A value of an earlier release of Debezium, or of the other connector. */
export interface OldValue {
  readonly property: string
  /** Compared without regard to case. */
  readonly old: string
  readonly value: string
  /** What is different with the new value, as a sentence; empty: nothing. */
  readonly difference: string
}

const SAME = ''

const HISTORY_CLASSES = ['Kafka', 'File', 'Memory'].flatMap((store): readonly OldValue[] => {
  const place = store === 'Memory' ? 'relational' : `storage.${store.toLowerCase()}`
  const value = `io.debezium.${place}.history.${store}SchemaHistory`
  const property = 'schema.history.internal'
  return [
    { property, old: `io.debezium.relational.history.${store}DatabaseHistory`, value, difference: SAME },
    { property, old: `io.debezium.relational.history.${store}SchemaHistory`, value, difference: SAME },
  ]
})

/** Values that both connectors replace. */
export const oldValues: readonly OldValue[] = [
  { property: 'snapshot.mode', old: 'schema_only', value: 'no_data', difference: SAME },
  { property: 'snapshot.mode', old: 'schema_only_recovery', value: 'recovery', difference: SAME },
  ...['minimal_percona', 'minimal_percona_no_table_locks'].map((old) => ({
    property: 'snapshot.locking.mode',
    old,
    value: 'minimal',
    difference: 'The snapshot takes the global read lock instead of the backup lock of Percona Server',
  })),
  { property: 'inconsistent.schema.handling.mode', old: 'ignore', value: 'skip', difference: SAME },
  ...HISTORY_CLASSES.filter(({ old, value }) => old !== value),
]

/** TLS modes of the two connectors with the same meaning. */
const TLS_PAIRS = [
  ['disabled', 'disable'],
  ['required', 'trust'],
  ['verify_ca', 'verify-ca'],
  ['verify_identity', 'verify-full'],
] as const

/** The values that a connector with these TLS modes replaces. */
export function oldValuesWith(sslModes: readonly string[]): readonly OldValue[] {
  const spellings = TLS_PAIRS.flatMap(([mysql, mariadb]) => {
    const [old, value] = sslModes.includes(mysql) ? [mariadb, mysql] : [mysql, mariadb]
    return [{ property: 'database.ssl.mode', old, value, difference: SAME }]
  })
  return [...oldValues, ...spellings]
}
