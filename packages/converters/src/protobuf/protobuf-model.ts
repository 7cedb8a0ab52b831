import {
  DATE_SCHEMA_NAME,
  DECIMAL_SCHEMA_NAME,
  type Schema,
  TIME_SCHEMA_NAME,
  TIMESTAMP_SCHEMA_NAME,
} from '@tributary/connect-api'
import { present } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { hasSameShape } from '../writers/schema-shape.ts'
import { scrubbedName } from './protobuf-names.ts'
import type { ProtobufOptions } from './protobuf-options.ts'

/** A message as the schema declares it. */
export interface ProtoMessage {
  readonly name: string
  readonly schema: Schema
  readonly fields: ProtoField[]
  readonly nested: ProtoMessage[]
}

export interface ProtoField {
  readonly name: string
  readonly number: number
  readonly label: 'optional' | 'repeated' | null
  readonly type: string
  /** Of the value; of an array, of its elements. */
  readonly schema: Schema
  /** What Confluent's option `field_meta` keeps of the Connect schema. */
  readonly params: readonly (readonly [name: string, value: string])[]
  readonly kind: 'scalar' | 'wrapper' | 'decimal' | 'date' | 'time' | 'timestamp' | 'message'
  /** Of the kind `message`. */
  readonly message: ProtoMessage | null
}

export interface ProtoFile {
  readonly packageName: string | null
  readonly imports: readonly string[]
  readonly root: ProtoMessage
}

const NAMESPACE = 'io.confluent.connect.protobuf'

const LOGICAL: Readonly<Record<string, readonly [kind: ProtoField['kind'], type: string, file: string]>> = {
  [DECIMAL_SCHEMA_NAME]: ['decimal', 'confluent.type.Decimal', 'confluent/type/decimal.proto'],
  [DATE_SCHEMA_NAME]: ['date', 'google.type.Date', 'google/type/date.proto'],
  [TIME_SCHEMA_NAME]: ['time', 'google.type.TimeOfDay', 'google/type/timeofday.proto'],
  [TIMESTAMP_SCHEMA_NAME]: ['timestamp', 'google.protobuf.Timestamp', 'google/protobuf/timestamp.proto'],
}

const SCALARS: Readonly<Partial<Record<Schema['type'], readonly [type: string, wrapper: string]>>> = {
  int8: ['int32', 'Int32Value'],
  int16: ['int32', 'Int32Value'],
  int32: ['int32', 'Int32Value'],
  int64: ['int64', 'Int64Value'],
  float: ['float', 'FloatValue'],
  double: ['double', 'DoubleValue'],
  boolean: ['bool', 'BoolValue'],
  string: ['string', 'StringValue'],
  bytes: ['bytes', 'BytesValue'],
}

/** True for Connect's own Decimal, dates and times. */
export function isLogical({ name }: Schema): boolean {
  return name !== null && name in LOGICAL
}

/**
 * Returns the file of a struct, with the names and numbers that Confluent's converter gives.
 *
 * @throws PROTOBUF_NAME, PROTOBUF_KIND with the field
 */
export function protoFile(schema: Schema, options: ProtobufOptions): ProtoFile {
  return new ModelBuilder(options).file(schema)
}

class ModelBuilder {
  readonly #options: ProtobufOptions
  /** In the order of their first use. */
  readonly #imports = new Set<string>()
  #unnamed = 0

  constructor(options: ProtobufOptions) {
    this.#options = options
  }

  file(schema: Schema): ProtoFile {
    const parts = this.#fullName(schema)
      .split('.')
      .map((part) => this.#scrub(part))
    const name = parts.pop() ?? ''
    const packageName = parts.length === 0 ? null : parts.join('.')
    const root = this.#message(schema, name, packageName === null ? name : `${packageName}.${name}`)
    return { packageName, imports: [...this.#imports], root }
  }

  #message(schema: Schema, name: string, path: string): ProtoMessage {
    this.#checkName(name, path)
    const message: ProtoMessage = { name, schema, fields: [], nested: [] }
    const names = new Set<string>()
    for (const { name: fieldName, index, schema: field } of schema.fields) {
      const scrubbed = this.#scrub(fieldName)
      this.#checkName(scrubbed, path)
      if (names.has(scrubbed))
        throw converterErrors.PROTOBUF_NAME({ name: scrubbed, message: path, reason: 'two fields have it' })
      names.add(scrubbed)
      message.fields.push(this.#field(message, field, { name: scrubbed, number: index + 1, path }))
    }
    return message
  }

  #field(
    parent: ProtoMessage,
    schema: Schema,
    place: { readonly name: string; readonly number: number; readonly path: string },
  ): ProtoField {
    const isArray = schema.type === 'array'
    const element = isArray ? present(schema.valueSchema, 'the schema of the items') : schema
    const { optionalForNullables } = this.#options
    const label = isArray ? 'repeated' : optionalForNullables && schema.isOptional ? 'optional' : null
    const { name, number, path } = place
    const base = { name, number, label, schema: element, message: null, params: [] } as const
    this.#checkKind(element, `${path}.${name}`)
    const logical = element.name === null ? undefined : LOGICAL[element.name]
    if (logical !== undefined) {
      const [kind, type, file] = logical
      this.#imports.add(file)
      return { ...base, kind, type, params: kind === 'decimal' ? decimalParams(element) : [] }
    }
    const scalar = SCALARS[element.type]
    if (scalar !== undefined) {
      const isSmall = element.type === 'int8' || element.type === 'int16'
      const params = isSmall ? ([['connect.type', element.type]] as const) : []
      if (!this.#options.wrapperForNullables || !element.isOptional)
        return { ...base, kind: 'scalar', type: scalar[0], params }
      this.#imports.add('google/protobuf/wrappers.proto')
      return { ...base, kind: 'wrapper', type: `google.protobuf.${scalar[1]}`, params }
    }
    const message = this.#nested(parent, element, place)
    return { ...base, kind: 'message', type: message.name, message }
  }

  /** The message of a struct within another one: declared there, once for each name. */
  #nested(
    parent: ProtoMessage,
    schema: Schema,
    { name, path }: { readonly name: string; readonly path: string },
  ): ProtoMessage {
    const full = this.#fullName(schema)
    const simple = this.#scrub(full.slice(full.lastIndexOf('.') + 1))
    const own = simple === name ? `${simple}Message` : simple
    const known = parent.nested.find((each) => each.name === own)
    const isTaken = own === parent.name || (known !== undefined && !hasSameShape(known.schema, schema))
    if (isTaken) {
      const reason = 'two different structs of one message have it'
      throw converterErrors.PROTOBUF_NAME({ name: own, message: path, reason })
    }
    if (known !== undefined) return known
    const message = this.#message(schema, own, `${path}.${own}`)
    parent.nested.push(message)
    return message
  }

  #fullName({ name }: Schema): string {
    if (name !== null && name !== '') return name
    this.#unnamed += 1
    return `ConnectDefault${this.#unnamed}`
  }

  #scrub(name: string): string {
    return this.#options.scrubInvalidNames ? scrubbedName(name) : name
  }

  #checkName(name: string, message: string): void {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return
    const reason = 'names consist of letters, digits and underscores'
    throw converterErrors.PROTOBUF_NAME({ name, message, reason })
  }

  #checkKind({ type, name, parameters }: Schema, field: string): void {
    const isConfluent = [name ?? '', ...Object.keys(parameters ?? {})].some((each) => each.startsWith(NAMESPACE))
    const reason = isConfluent
      ? 'it is a union or an enumeration of Confluent’s converter'
      : type === 'array'
        ? 'arrays cannot be nested'
        : type === 'map'
          ? 'maps are not supported'
          : null
    if (reason !== null) throw converterErrors.PROTOBUF_KIND({ field, type, reason })
  }
}

function decimalParams({ parameters }: Schema): readonly (readonly [name: string, value: string])[] {
  const [precision, scale] = [parameters?.['connect.decimal.precision'], parameters?.['scale']]
  return [
    ...(precision === undefined ? [] : [['precision', precision] as const]),
    ...(scale === undefined ? [] : [['scale', scale] as const]),
  ]
}
