import { Decimal, DECIMAL_SCHEMA_NAME, Schema, type ConnectValue, type SchemaType } from '@tributary/connect-api'
import { present } from '@tributary/support'

/** The schema half of a document of the JSON converter. */
export interface SchemaDocument {
  readonly type: SchemaType
  readonly optional?: boolean
  readonly name?: string
  readonly version?: number
  readonly doc?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly default?: unknown
  readonly fields?: readonly (SchemaDocument & { readonly field: string })[]
  readonly items?: SchemaDocument
  readonly keys?: SchemaDocument
  readonly values?: SchemaDocument
}

/** Parses JSON. Whole numbers beyond 2^53 become bigints and stay exact. */
export function parseExact(text: string): unknown {
  const reviver = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
      ? BigInt(source ?? '')
      : value
  const value: unknown = JSON.parse(text, reviver)
  return value
}

export function schemaOfDocument(document: SchemaDocument): Schema {
  const { type, optional = false, name, version, doc, parameters, fields = [], items, keys, values } = document
  const options = {
    optional,
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(doc === undefined ? {} : { doc }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(document.default === undefined ? {} : { defaultValue: defaultOf(document) }),
  }
  if (type === 'struct') {
    return Schema.struct(
      fields.map((field) => [field.field, schemaOfDocument(field)]),
      options,
    )
  }
  if (type === 'array') return Schema.array(schemaOfDocument(present(items, 'items')), options)
  if (type === 'map') {
    return Schema.map(schemaOfDocument(present(keys, 'keys')), schemaOfDocument(present(values, 'values')), options)
  }
  return Schema.of(type, options)
}

/** The recordings have defaults of scalar types only. */
function defaultOf({ type, name, parameters, default: value }: SchemaDocument): Exclude<ConnectValue, null> {
  if (type !== 'bytes') return value as Exclude<ConnectValue, null>
  const bytes = Buffer.from(String(value), 'base64')
  if (name !== DECIMAL_SCHEMA_NAME) return bytes
  const unscaled = BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
  return new Decimal(unscaled, Number(parameters?.['scale']))
}
