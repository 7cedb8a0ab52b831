import {
  DECIMAL_SCHEMA_NAME,
  type Schema,
  DATE_SCHEMA_NAME,
  TIME_SCHEMA_NAME,
  TIMESTAMP_SCHEMA_NAME,
} from '@tributary/connect-api'
import { present, unreachable } from '@tributary/support'
import { converterErrors } from '../errors.ts'
import { avroDefaultText } from './avro-default-text.ts'
import { jsonQuoted } from '../text/json-quoted.ts'
import { avroFieldName, type AvroName, avroName, DEFAULT_NAMESPACE, defaultName, fullNameOf } from './avro-names.ts'
import type { AvroOptions } from './avro-options.ts'
import { enumOf, isStringMap } from './avro-shape.ts'
import { isEqualSchema } from './equal-schema.ts'

/**
 * Returns the Avro schema of a Connect schema as text: byte for byte the one that the Java converters register
 * (Confluent's, and Apicurio's copy of it). Metadata that Avro has no attribute for is kept in properties `connect.…`,
 * from which a consumer can rebuild the Connect schema.
 *
 * @throws AVRO_NAME_INVALID for a record or field whose name Avro does not accept; AVRO_NAME_TAKEN for two records with
 *   the same name
 */
export function avroSchemaText(schema: Schema, options: AvroOptions): string {
  return new AvroSchemaText(options).typeOf(schema)
}

/** A schema that became a record or an enumeration. */
export interface NamedSchema {
  readonly schema: Schema
  readonly name: AvroName
}

type Property = readonly [name: string, json: string]

/** Writes one schema text; see `avroSchemaText`. */
export class AvroSchemaText {
  readonly #options: AvroOptions
  /** Records and enumerations that are written out already, by the names of their Connect schemas. */
  readonly #records = new Map<string, NamedSchema>()
  readonly #unnamed: NamedSchema[] = []
  readonly #given: readonly NamedSchema[]
  /** Namespace of the enclosing record; null when there is none. */
  #namespace: string | null = null

  /** `given`: the names that unnamed schemas have in the larger text of which this one is a part. */
  constructor(options: AvroOptions, given: readonly NamedSchema[] = []) {
    this.#options = options
    this.#given = given
  }

  /** The unnamed records that were written, with the names assigned to them. */
  get unnamed(): readonly NamedSchema[] {
    return this.#unnamed
  }

  /** Declares a record or an enumeration that another text contains: this text refers to it by name. */
  declare(schema: Schema): NamedSchema {
    const symbols = schema.type === 'string' ? enumOf(schema, this.#options) : null
    if (symbols === null) return { schema, name: this.#newRecord(schema) }
    const named = { schema, name: avroName(symbols.name, false) }
    this.#records.set(symbols.name, named)
    return named
  }

  typeOf(schema: Schema): string {
    const base = this.#baseOf(schema)
    if (!schema.isOptional) return base
    return schema.defaultValue === null || schema.type === 'struct' ? `["null",${base}]` : `[${base},"null"]`
  }

  #baseOf(schema: Schema): string {
    const { type } = schema
    switch (type) {
      case 'int8':
      case 'int16':
        return this.#plain('int', schema, [['connect.type', `"${type}"`]])
      case 'int32':
        return this.#plain('int', schema)
      case 'int64':
        return this.#plain('long', schema)
      case 'float':
      case 'double':
      case 'boolean':
        return this.#plain(type, schema)
      case 'string':
        return this.#stringOf(schema)
      case 'bytes':
        return this.#plain('bytes', schema)
      case 'array':
        return this.#withProperties(`"type":"array","items":${this.#itemsOf(schema)}`, this.#properties(schema))
      case 'map':
        return this.#mapOf(schema)
      case 'struct':
        return this.#structOf(schema)
      default:
        return unreachable(type)
    }
  }

  #plain(type: string, schema: Schema, last: readonly Property[] = []): string {
    const properties = this.#properties(schema, last)
    return properties.length === 0 ? `"${type}"` : this.#withProperties(`"type":"${type}"`, properties)
  }

  #withProperties(members: string, properties: readonly Property[]): string {
    return `{${[members, ...properties.map(([name, json]) => `${jsonQuoted(name)}:${json}`)].join(',')}}`
  }

  #stringOf(schema: Schema): string {
    const symbols = enumOf(schema, this.#options)
    if (symbols === null) return this.#plain('string', schema)
    const name = avroName(symbols.name, false)
    const known = this.#records.get(symbols.name)
    if (known !== undefined) return this.#reference(known.name)
    this.#records.set(symbols.name, { schema, name })
    const list = symbols.symbols.map((symbol) => jsonQuoted(symbol)).join(',')
    return this.#withProperties(
      `"type":"enum",${this.#nameMembers(name)},"symbols":[${list}]`,
      this.#properties(schema),
    )
  }

  #itemsOf(schema: Schema): string {
    return this.typeOf(present(schema.valueSchema, 'schema of the items'))
  }

  /** The keys of Avro maps are strings. Maps with other keys become arrays of entries. */
  #mapOf(schema: Schema): string {
    const properties = this.#properties(schema)
    if (isStringMap(schema, this.#options)) {
      return this.#withProperties(`"type":"map","values":${this.#itemsOf(schema)}`, properties)
    }
    const isNamed = schema.name !== null
    const name = isNamed
      ? avroName(schema.name, this.#options.scrubInvalidNames)
      : { namespace: DEFAULT_NAMESPACE, name: 'MapEntry' }
    const head = `"type":"record",${this.#nameMembers(name)}`
    const fields = this.#within(name, () =>
      [
        this.#field('key', present(schema.keySchema, 'schema of the keys')),
        this.#field('value', present(schema.valueSchema, 'schema of the values')),
      ].join(','),
    )
    const internal: readonly Property[] = isNamed ? [['connect.internal.type', '"MapEntry"']] : []
    return this.#withProperties(
      `"type":"array","items":${this.#withProperties(`${head},"fields":[${fields}]`, internal)}`,
      properties,
    )
  }

  /** Writes a record out once, and refers to it by name afterwards. */
  #structOf(schema: Schema): string {
    const known = this.#knownRecord(schema)
    if (known !== null) return this.#reference(known)
    const name = this.#newRecord(schema)
    const head = `"type":"record",${this.#nameMembers(name)}`
    const { scrubInvalidNames } = this.#options
    const fields = this.#within(name, () =>
      schema.fields.map((field) => this.#field(avroFieldName(field.name, scrubInvalidNames), field.schema)).join(','),
    )
    return this.#withProperties(`${head},"fields":[${fields}]`, this.#properties(schema))
  }

  #knownRecord(schema: Schema): AvroName | null {
    if (schema.name !== null) {
      const known = this.#records.get(schema.name)
      if (known === undefined) return null
      if (!isEqualSchema(known.schema, schema)) throw converterErrors.AVRO_NAME_TAKEN({ name: schema.name })
      return known.name
    }
    return this.#unnamed.find((other) => isEqualSchema(other.schema, schema))?.name ?? null
  }

  #newRecord(schema: Schema): AvroName {
    if (schema.name === null) {
      const given = this.#given.find((other) => isEqualSchema(other.schema, schema))
      const name = given?.name ?? defaultName(this.#unnamed.length + 1)
      this.#unnamed.push({ schema, name })
      return name
    }
    const name = avroName(schema.name, this.#options.scrubInvalidNames)
    this.#records.set(schema.name, { schema, name })
    return name
  }

  #field(name: string, schema: Schema): string {
    const members = [`"name":${jsonQuoted(name)},"type":${this.typeOf(schema)}`]
    if (schema.defaultValue !== null)
      members.push(`"default":${avroDefaultText(schema, schema.defaultValue, this.#options)}`)
    else if (schema.isOptional) members.push('"default":null')
    return `{${members.join(',')}}`
  }

  #within(name: AvroName, write: () => string): string {
    const outer = this.#namespace
    this.#namespace = name.namespace
    const text = write()
    this.#namespace = outer
    return text
  }

  /** Omits the namespace when it is that of the enclosing record. */
  #nameMembers({ namespace, name }: AvroName): string {
    const own = `"name":${jsonQuoted(name)}`
    return namespace === this.#namespace ? own : `${own},"namespace":${jsonQuoted(namespace ?? '')}`
  }

  #reference(name: AvroName): string {
    return jsonQuoted(name.namespace === this.#namespace ? name.name : fullNameOf(name))
  }

  /** The order is that of the Java converter. */
  #properties(schema: Schema, last: readonly Property[] = []): readonly Property[] {
    const { parameters, name } = schema
    const properties: Property[] = []
    if (schema.type === 'bytes' && name === DECIMAL_SCHEMA_NAME) {
      properties.push(['scale', String(Number(parameters?.['scale'] ?? 0))], ['precision', String(precisionOf(schema))])
    }
    if (this.#options.connectMetaData) properties.push(...this.#connectProperties(schema), ...last)
    const logicalType = logicalTypeOf(schema)
    if (logicalType !== null) properties.push(['logicalType', `"${logicalType}"`])
    for (const [parameter, value] of Object.entries(parameters ?? {})) {
      if (parameter.startsWith('avro')) properties.push([parameter, jsonQuoted(value)])
    }
    return properties
  }

  *#connectProperties(schema: Schema): Generator<Property> {
    const { doc, version, parameters, defaultValue, name } = schema
    if (doc !== null) yield ['connect.doc', jsonQuoted(doc)]
    if (version !== null) yield ['connect.version', String(version)]
    if (parameters !== null && Object.keys(parameters).length > 0) {
      const members = Object.entries(parameters).map(([key, value]) => `${jsonQuoted(key)}:${jsonQuoted(value)}`)
      yield ['connect.parameters', `{${members.join(',')}}`]
    }
    if (defaultValue !== null) yield ['connect.default', avroDefaultText(schema, defaultValue, this.#options)]
    if (name !== null) yield ['connect.name', jsonQuoted(name)]
  }
}

/** For schemas without `connect.decimal.precision`. */
const PRECISION_DEFAULT = 64

function precisionOf({ parameters }: Schema): number {
  return Number(parameters?.['connect.decimal.precision'] ?? PRECISION_DEFAULT)
}

function logicalTypeOf({ name }: Schema): string | null {
  switch (name) {
    case DECIMAL_SCHEMA_NAME:
      return 'decimal'
    case DATE_SCHEMA_NAME:
      return 'date'
    case TIME_SCHEMA_NAME:
      return 'time-millis'
    case TIMESTAMP_SCHEMA_NAME:
      return 'timestamp-millis'
    default:
      return null
  }
}
