import { oldNames, oldValues } from '@tributary/connector-mysql'

type Config = Readonly<Record<string, string>>

const UNWRAP = 'io.debezium.transforms.UnwrapFromEnvelope'

/** Classes under the names that Debezium 3.6 has. */
const CLASSES: Config = {
  [UNWRAP]: 'io.debezium.transforms.ExtractNewRecordState',
  'io.debezium.connector.mysql.converters.TinyIntOneToBooleanConverter':
    'io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter',
  // Not on Maven Central. Both sides write JSON with schemas; avro.interop.test.ts compares Avro.
  'io.confluent.connect.avro.AvroConverter': 'org.apache.kafka.connect.json.JsonConverter',
}

/** A document with the names and values of Debezium 3.6, and the properties that changed for it. */
export function presentDocument(given: Config): { readonly config: Config; readonly changed: readonly string[] } {
  const config: Record<string, string> = {}
  const changed: string[] = []
  for (const [name, value] of Object.entries(given)) {
    const found = oldNames.find(({ old }) => old === name || (old.endsWith('.') && name.startsWith(old)))
    if (found === undefined) {
      const present = presentValue(name, value, given)
      if (present !== value) changed.push(name)
      // It dropped tombstones; its successor keeps them.
      if (value === UNWRAP) config[name.replace(/type$/, 'delete.tombstone.handling.mode')] = 'drop'
      if (value !== '' || config[name] === undefined) config[name] = present
      continue
    }
    changed.push(name)
    const present = found.name + name.slice(found.old.length)
    const converted = found.convert === undefined ? value : found.convert(value, given['topic.prefix'] ?? '')
    if (converted !== null && !Object.hasOwn(given, present)) config[present] = converted
  }
  return withDeleteMode(config, changed)
}

/** The two options of ExtractNewRecordState before 3.0, and the one that replaces them. */
function withDeleteMode(
  given: Config,
  changed: readonly string[],
): { readonly config: Config; readonly changed: readonly string[] } {
  const config: Record<string, string> = { ...given }
  const replaced: string[] = []
  for (const [name, type] of Object.entries(given)) {
    if (!type.endsWith('.ExtractNewRecordState')) continue
    const prefix = name.slice(0, -'type'.length)
    const drop = given[`${prefix}drop.tombstones`]
    const mode = given[`${prefix}delete.handling.mode`]
    if ((drop ?? mode) === undefined) continue
    replaced.push(...[`${prefix}drop.tombstones`, `${prefix}delete.handling.mode`].filter((each) => each in given))
    config[`${prefix}delete.tombstone.handling.mode`] = DELETE_MODES[`${mode ?? 'drop'} ${drop ?? 'true'}`] ?? ''
  }
  for (const each of replaced) delete config[each]
  return { config, changed: [...changed, ...replaced] }
}

/** By `delete.handling.mode` and `drop.tombstones`. */
const DELETE_MODES: Config = {
  'drop true': 'drop',
  'drop false': 'tombstone',
  'rewrite true': 'rewrite',
  'rewrite false': 'rewrite-with-tombstone',
  'none true': 'delete-to-tombstone',
}

function presentValue(property: string, value: string, { 'connector.class': connector = '' }: Config): string {
  if (property === 'database.ssl.mode' && connector.includes('mariadb')) return value.toLowerCase().replace(/d$/, '')
  const known = oldValues.find((each) => each.property === property && each.old === value.toLowerCase())
  return known?.value ?? CLASSES[value] ?? value
}
