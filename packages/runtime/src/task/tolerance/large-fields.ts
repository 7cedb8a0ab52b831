import {
  type ConfigMap,
  type ConnectValue,
  detachValue,
  Schemas,
  type Schema,
  type SourceRecord,
  Struct,
} from '@tributary/connect-api'

/** Header of a record whose fields were replaced: their names, separated by commas, as in `before.body,after.body`. */
const REPLACED_FIELDS_HEADER = '__tributary.replaced.fields'

/** The paths of the replaced fields of a record, as in `before.body,after.body`; empty: none is. */
export function replacedFieldsOf({ headers }: SourceRecord): string {
  const header = headers.find(({ key }) => key === REPLACED_FIELDS_HEADER)
  return typeof header?.value === 'string' ? header.value : ''
}

/**
 * Replaces the largest texts and bytes of a record's value by the placeholder that Debezium has for values which the
 * database did not send (`unavailable.value.placeholder`). The value keeps its schema. Never replaced are the key,
 * fields of the value that are in the key or equal it, the block `source`, texts and bytes with a meaning of their own,
 * such as decimals and geometries, and anything of schema changes, whose consumers parse their statements.
 */
export class LargeFields {
  readonly #placeholder: Buffer

  constructor(config: ConfigMap) {
    const text = config['unavailable.value.placeholder'] ?? '__debezium_unavailable_value'
    this.#placeholder = text.startsWith('hex:') ? Buffer.from(text.slice('hex:'.length), 'hex') : Buffer.from(text)
  }

  /**
   * Replaces fields until the others have about that part of the bytes, and one at least. Null: no field is left that
   * may be replaced.
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

/** About the size in the record: JSON may escape characters, and writes bytes as base64. */
function bytesOf(value: ConnectValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.length
  const detached = typeof value === 'object' && value !== null ? detachValue(value) : null
  return typeof detached === 'string' ? Buffer.byteLength(detached) : 0
}

/** What of a value identifies its row. */
interface KeyParts {
  readonly names: ReadonlySet<string>
  /** The key itself, if a transformation has made it a text or bytes; null: it has none. */
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

/** A text may be in the form in which it was read. */
function plainOf(value: ConnectValue): ConnectValue {
  const isPlain = typeof value !== 'object' || value === null || value instanceof Uint8Array
  return isPlain ? value : detachValue(value)
}

/** A struct with plain values, since the fields of a polled one may be in the form in which they were read. */
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
