import {
  type ConfigMap,
  type ConnectValue,
  detachValue,
  Schemas,
  type Schema,
  type SourceRecord,
  Struct,
} from '@tributary/connect-api'

/** The header that names the replaced fields of a record, separated by commas: `before.body,after.body`. */
const REPLACED_FIELDS_HEADER = '__tributary.replaced.fields'

/** The value of that header; empty if no field was replaced. */
export function replacedFieldsOf({ headers }: SourceRecord): string {
  const header = headers.find(({ key }) => key === REPLACED_FIELDS_HEADER)
  return typeof header?.value === 'string' ? header.value : ''
}

/**
 * Replaces the largest texts and bytes of a record's value by the placeholder that Debezium has for values which the
 * database did not send (`unavailable.value.placeholder`). The value keeps its schema. It never replaces the key,
 * fields of the value that are in the key or equal it, the block `source`, texts and bytes with a logical type, such as
 * decimals and geometries, and schema changes, because their consumers parse the statements.
 */
export class LargeFields {
  readonly #placeholder: Buffer

  constructor(config: ConfigMap) {
    const text = config['unavailable.value.placeholder'] ?? '__debezium_unavailable_value'
    this.#placeholder = text.startsWith('hex:') ? Buffer.from(text.slice('hex:'.length), 'hex') : Buffer.from(text)
  }

  /**
   * Replaces fields until the remaining ones have about `part` of the bytes, but at least one field. Null: no field may
   * be replaced any more.
   */
  shrink(record: SourceRecord, part: number): SourceRecord | null {
    const { value } = record
    if (!(value instanceof Struct) || value.schema.name?.endsWith(SCHEMA_CHANGE) === true) return null
    const fields = this.#largeFields(value, partsOf(record.key)).toSorted((a, b) => b.bytes - a.bytes)
    const total = fields.reduce((sum, { bytes }) => sum + bytes, 0)
    const chosen: LargeField[] = []
    let rest = total
    for (const field of fields) {
      if (chosen.length > 0 && rest <= total * part) break
      chosen.push(field)
      rest -= field.bytes
    }
    if (chosen.length === 0) return null
    const paths = new Map(chosen.map((field) => [field.path, this.#replacement(field.schema)]))
    const names = [replacedFieldsOf(record), ...paths.keys()].filter((name) => name !== '')
    const headers = [
      ...record.headers.filter(({ key }) => key !== REPLACED_FIELDS_HEADER),
      { key: REPLACED_FIELDS_HEADER, schema: Schemas.string, value: names.join(',') },
    ]
    return { ...record, value: replaced(value, '', paths), headers }
  }

  #largeFields(struct: Struct, key: KeyParts, before = ''): readonly LargeField[] {
    return struct.schema.fields.flatMap(({ name, index, schema }): readonly LargeField[] => {
      const value = struct.at(index)
      const path = before + name
      // Rows are in the envelope, or are the value itself.
      if (value instanceof Struct && before === '' && ROWS.has(name)) return this.#largeFields(value, key, `${path}.`)
      if (key.names.has(name) || isKey(value, key) || !isReplaceable(schema)) return []
      const bytes = bytesOf(value)
      return bytes > this.#replacementBytes(schema) ? [{ path, schema, bytes }] : []
    })
  }

  #replacementBytes(schema: Schema): number {
    return bytesOf(this.#replacement(schema))
  }

  /** As Debezium writes it: a document in JSON columns, so that readers can parse it. */
  #replacement(schema: Schema): ConnectValue {
    if (schema.type === 'bytes') return this.#placeholder
    const text = this.#placeholder.toString()
    if (schema.name !== JSON_NAME) return text
    const member = JSON.stringify(text)
    return `{${member}:${member}}`
  }
}

interface LargeField {
  readonly path: string
  readonly schema: Schema
  readonly bytes: number
}

const ROWS: ReadonlySet<string> = new Set(['before', 'after'])
/** The end of the name of a schema change's schema. */
const SCHEMA_CHANGE = '.SchemaChangeValue'
const JSON_NAME = 'io.debezium.data.Json'

function isReplaceable({ type, name }: Schema): boolean {
  return (type === 'string' && (name === null || name === JSON_NAME)) || (type === 'bytes' && name === null)
}

/** An estimate of the size in the record: JSON may escape characters, and writes bytes as base64. */
function bytesOf(value: ConnectValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.length
  const detached = typeof value === 'object' && value !== null ? detachValue(value) : null
  return typeof detached === 'string' ? Buffer.byteLength(detached) : 0
}

/** The parts of a key, to recognise them in the value. */
interface KeyParts {
  readonly names: ReadonlySet<string>
  /** The key itself, if a transformation has made it a text or bytes; otherwise null. */
  readonly whole: string | Uint8Array | null
}

function partsOf(key: ConnectValue): KeyParts {
  if (key instanceof Struct) return { names: new Set(key.schema.fields.map(({ name }) => name)), whole: null }
  const plain = plainOf(key)
  return { names: new Set(), whole: typeof plain === 'string' || plain instanceof Uint8Array ? plain : null }
}

function isKey(value: ConnectValue, { whole }: KeyParts): boolean {
  if (whole === null) return false
  const plain = plainOf(value)
  if (typeof whole === 'string') return plain === whole
  return plain instanceof Uint8Array && Buffer.compare(plain, whole) === 0
}

/** Decodes a text that is still in the form in which it was read. */
function plainOf(value: ConnectValue): ConnectValue {
  const isPlain = typeof value !== 'object' || value === null || value instanceof Uint8Array
  return isPlain ? value : detachValue(value)
}

/** Returns a struct with plain values: fields of a polled struct may be in the form in which they were read. */
function replaced(struct: Struct, before: string, paths: ReadonlyMap<string, ConnectValue>): Struct {
  const values = struct.schema.fields.map(({ name, index }) => {
    const value = struct.at(index)
    const replacement = paths.get(before + name)
    if (replacement !== undefined) return replacement
    const isRow = value instanceof Struct && before === '' && ROWS.has(name)
    return isRow ? replaced(value, `${name}.`, paths) : detachValue(value)
  })
  return new Struct(struct.schema, values)
}
