import { type ConnectValue, scalarText, type Schema, type SourceRecord, Struct } from '@tributary/connect-api'
import { toError } from '@tributary/support'
import { offsetJson } from '../../storage/offset-record.ts'

/** A record in about the form of Java's SourceRecord.toString, cut at a limit. */
export function recordText(record: SourceRecord): string {
  const { sourcePartition, sourceOffset, topic, partition, timestamp, headers } = record
  const source = `sourcePartition=${offsetJson(sourcePartition)}, sourceOffset=${offsetJson(sourceOffset.toDocument())}`
  const key = `key=${text(record.keySchema, record.key)}, keySchema=${schemaText(record.keySchema)}`
  const value = `value=${text(record.valueSchema, record.value)}, valueSchema=${schemaText(record.valueSchema)}`
  const pairs = headers.map((header) => `${header.key}=${text(header.schema, header.value)}`)
  return `SourceRecord{${source}} ConnectRecord{topic='${topic}', kafkaPartition=${partition}, ${key}, ${value}, timestamp=${timestamp}, headers=[${pairs.join(', ')}]}`
}

/** The topic, table, key and position of a record. */
export function recordPlace(record: SourceRecord): string {
  return `topic ${record.topic}, ${rowText(record)}, source position ${offsetJson(record.sourceOffset.toDocument())}`
}

/** As in `table shop.orders, key Struct{id=7}`; the table is that of the block `source`, if the value has one. */
export function rowText({ value, keySchema, key }: SourceRecord): string {
  const shown = text(keySchema, key)
  const keyText = shown.length > KEY_CHARACTERS_MAX ? `${shown.slice(0, KEY_CHARACTERS_MAX)}…` : shown
  const table = tableText(value)
  return `${table === null ? '' : `table ${table}, `}key ${keyText}`
}

function tableText(value: ConnectValue): string | null {
  const source = value instanceof Struct && value.schema.field('source') !== null ? value.get('source') : null
  if (!(source instanceof Struct)) return null
  const names = ['db', 'table'].map((name) => (source.schema.field(name) === null ? null : source.get(name)))
  return names.every((name) => name !== null) ? names.map((name) => scalarText(null, name) ?? '').join('.') : null
}

function schemaText(schema: Schema | null): string {
  if (schema === null) return 'null'
  const type = schema.type.toUpperCase()
  return schema.name === null ? `Schema{${type}}` : `Schema{${schema.name}:${type}}`
}

function text(schema: Schema | null, value: ConnectValue): string {
  try {
    return cut(valueText(schema, value, VALUE_CHARACTERS_MAX))
  } catch (error) {
    // The value may be what made the record fail.
    return `(unreadable: ${cut(toError(error).message)})`
  }
}

/** `rest`: no more characters are needed. */
function valueText(schema: Schema | null, value: ConnectValue, rest: number): string {
  const scalar = scalarText(schema, value)
  if (scalar !== null) return scalar
  if (value instanceof Uint8Array) return `(${value.length} bytes)`
  if (value instanceof Struct) return `Struct{${joined(fieldsOf(value), rest)}}`
  if (Array.isArray(value)) {
    const items: readonly ConnectValue[] = value
    return `[${joined(
      items.map((item) => ['', schema?.valueSchema ?? null, item]),
      rest,
    )}]`
  }
  if (!(value instanceof Map)) return '(value)'
  const members = Array.from(value as ReadonlyMap<ConnectValue, ConnectValue>, ([key, member]): Named => [
    `${cut(valueText(schema?.keySchema ?? null, key, rest))}=`,
    schema?.valueSchema ?? null,
    member,
  ])
  return `{${joined(members, rest)}}`
}

/** A value with the text before it. */
type Named = readonly [before: string, schema: Schema | null, value: ConnectValue]

/** Omits fields that are null, as Java does. */
function fieldsOf(struct: Struct): readonly Named[] {
  return struct.schema.fields
    .filter(({ index }) => struct.at(index) !== null)
    .map(({ name, index, schema }) => [`${name}=`, schema, struct.at(index)])
}

function joined(items: readonly Named[], rest: number): string {
  let found = ''
  for (const [before, schema, value] of items) {
    if (found.length > rest) break
    found += `${found === '' ? '' : ','}${before}${valueText(schema, value, rest - found.length)}`
  }
  return found
}

function cut(shown: string): string {
  return shown.length > VALUE_CHARACTERS_MAX ? `${shown.slice(0, VALUE_CHARACTERS_MAX)}…` : shown
}

/** The limit on the text of a key: enough to find the row. */
const KEY_CHARACTERS_MAX = 200

/** Key, value and each header; a row of a megabyte does not fill the log. */
const VALUE_CHARACTERS_MAX = 10_000
