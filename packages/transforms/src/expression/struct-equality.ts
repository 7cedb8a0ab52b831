import { type ConnectValue, Decimal, EncodedText, type Schema, Struct } from '@tributary/connect-api'

/** Java's Struct.equals: equal schemas and equal values, with Java's types. Depth is that of the schema. */
export function structsEqual(a: Struct, b: Struct): boolean {
  if (a === b) return true
  if (!schemasEqual(a.schema, b.schema)) return false
  return a.schema.fields.every(({ index }) => valuesEqual(a.at(index), b.at(index)))
}

function valuesEqual(a: ConnectValue, b: ConnectValue): boolean {
  if (Object.is(a, b)) return true
  if (a === null || b === null) return false
  if (a instanceof Struct) return b instanceof Struct && structsEqual(a, b)
  if (a instanceof Decimal)
    return b instanceof Decimal && a.scale === b.scale && BigInt(a.unscaled) === BigInt(b.unscaled)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (Array.isArray(a))
    return Array.isArray(b) && listsEqual(a as readonly ConnectValue[], b as readonly ConnectValue[])
  if (a instanceof Map) return b instanceof Map && mapsEqual(a, b as ReadonlyMap<ConnectValue, ConnectValue>)
  // A text may be encoded, and the same 64-bit integer a number or a bigint.
  const text = scalarText(a)
  return text !== null && text === scalarText(b)
}

function scalarText(value: ConnectValue): string | null {
  if (value instanceof EncodedText) return value.toString()
  if (typeof value === 'string') return value
  return typeof value === 'bigint' ? String(value) : null
}

function listsEqual(a: readonly ConnectValue[], b: readonly ConnectValue[]): boolean {
  return a.length === b.length && a.every((item, i) => valuesEqual(item, b[i] as ConnectValue))
}

function mapsEqual(a: ReadonlyMap<ConnectValue, ConnectValue>, b: ReadonlyMap<ConnectValue, ConnectValue>): boolean {
  return (
    a.size === b.size && Array.from(a).every(([key, value]) => b.has(key) && valuesEqual(value, b.get(key) ?? null))
  )
}

/** Pairs that are equal: connectors intern schemas, but two fields may have equal ones. */
const equalPairs = new WeakMap<Schema, WeakMap<Schema, boolean>>()

function schemasEqual(a: Schema, b: Schema): boolean {
  if (a === b) return true
  let known = equalPairs.get(a)
  if (known === undefined) {
    known = new WeakMap()
    equalPairs.set(a, known)
  }
  let isEqual = known.get(b)
  if (isEqual === undefined) {
    isEqual = compareSchemas(a, b)
    known.set(b, isEqual)
  }
  return isEqual
}

function compareSchemas(a: Schema, b: Schema): boolean {
  return (
    a.type === b.type &&
    a.isOptional === b.isOptional &&
    a.name === b.name &&
    a.version === b.version &&
    a.doc === b.doc &&
    valuesEqual(a.defaultValue, b.defaultValue) &&
    parametersOf(a) === parametersOf(b) &&
    partsEqual(a.keySchema, b.keySchema) &&
    partsEqual(a.valueSchema, b.valueSchema) &&
    a.fields.length === b.fields.length &&
    a.fields.every(({ name, schema }, i) => {
      const other = b.fields[i]
      return other !== undefined && name === other.name && schemasEqual(schema, other.schema)
    })
  )
}

function partsEqual(a: Schema | null, b: Schema | null): boolean {
  return a === null || b === null ? a === b : schemasEqual(a, b)
}

/** In any order, as Java's maps are equal. */
function parametersOf({ parameters }: Schema): string {
  return JSON.stringify(Object.entries(parameters ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
