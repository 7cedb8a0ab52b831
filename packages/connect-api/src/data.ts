import { assert } from '@tributary/support'
import type { Decimal } from './decimal.ts'
import type { EncodedText } from './encoded-text.ts'

// Schemas, values and structs refer to each other: the default value of a schema may be a struct. So they share a
// module.

/** The types of Kafka Connect's data API, spelt as the JSON converter spells them. */
export type SchemaType =
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'float'
  | 'double'
  | 'boolean'
  | 'string'
  | 'bytes'
  | 'array'
  | 'map'
  | 'struct'

export interface SchemaOptions {
  readonly optional?: boolean
  readonly name?: string
  readonly version?: number
  readonly doc?: string
  /** In insertion order, which the schema document shows. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Absent: no default. A default of null cannot be expressed, as in Connect. */
  readonly defaultValue?: Exclude<ConnectValue, null>
}

export interface Field {
  readonly name: string
  /** Position in the struct, from 0. */
  readonly index: number
  readonly schema: Schema
}

interface SchemaParts extends SchemaOptions {
  readonly fields?: readonly Field[]
  readonly keySchema?: Schema
  readonly valueSchema?: Schema
}

/**
 * The type of a value. Immutable, and interned by its creator: all records of one table version share one object per
 * role. So compiled work (converters, masks) is found by the identity of the schema, without comparing its parts.
 */
export class Schema {
  readonly type: SchemaType
  readonly isOptional: boolean
  readonly name: string | null
  readonly version: number | null
  readonly doc: string | null
  readonly parameters: Readonly<Record<string, string>> | null
  readonly defaultValue: ConnectValue
  /** Of a struct, in order; empty otherwise. */
  readonly fields: readonly Field[]
  /** Of a map. */
  readonly keySchema: Schema | null
  /** Of a map, or of the elements of an array. */
  readonly valueSchema: Schema | null
  readonly #byName: ReadonlyMap<string, Field>

  private constructor(type: SchemaType, parts: SchemaParts) {
    this.type = type
    this.isOptional = parts.optional ?? false
    this.name = parts.name ?? null
    this.version = parts.version ?? null
    this.doc = parts.doc ?? null
    this.parameters = parts.parameters ?? null
    this.defaultValue = parts.defaultValue ?? null
    this.fields = parts.fields ?? []
    this.keySchema = parts.keySchema ?? null
    this.valueSchema = parts.valueSchema ?? null
    this.#byName = new Map(this.fields.map((field) => [field.name, field]))
    Object.freeze(this)
  }

  static of(type: Exclude<SchemaType, 'array' | 'map' | 'struct'>, options: SchemaOptions = {}): Schema {
    return new Schema(type, options)
  }

  static array(items: Schema, options: SchemaOptions = {}): Schema {
    return new Schema('array', { ...options, valueSchema: items })
  }

  static map(keys: Schema, values: Schema, options: SchemaOptions = {}): Schema {
    return new Schema('map', { ...options, keySchema: keys, valueSchema: values })
  }

  /** A struct with these fields, in this order. */
  static struct(fields: Iterable<readonly [name: string, schema: Schema]>, options: SchemaOptions = {}): Schema {
    const list = Array.from(fields, ([name, schema], index) => Object.freeze({ name, index, schema }))
    return new Schema('struct', { ...options, fields: list })
  }

  /** The field of that name, or null. */
  field(name: string): Field | null {
    return this.#byName.get(name) ?? null
  }

  /** Returns the same schema with some parts replaced. */
  with(options: SchemaOptions): Schema {
    const { keySchema, valueSchema, fields, name, version, doc, parameters, defaultValue } = this
    const parts = {
      optional: this.isOptional,
      ...(name === null ? {} : { name }),
      ...(version === null ? {} : { version }),
      ...(doc === null ? {} : { doc }),
      ...(parameters === null ? {} : { parameters }),
      ...(defaultValue === null ? {} : { defaultValue }),
      ...(keySchema === null ? {} : { keySchema }),
      ...(valueSchema === null ? {} : { valueSchema }),
      fields,
      ...options,
    }
    return new Schema(this.type, parts)
  }
}

/** A 64-bit integer: a number up to ±2^53, a bigint beyond; never rounded. */
export type Int64 = number | bigint

/**
 * The value of a schema, by type:
 *
 * | schema type             | value                                                                        |
 * | ----------------------- | ---------------------------------------------------------------------------- |
 * | int8 int16 int32        | number                                                                       |
 * | int64                   | Int64                                                                        |
 * | float, double           | number                                                                       |
 * | boolean                 | boolean                                                                      |
 * | string                  | string, or EncodedText (bytes that are decoded on demand)                    |
 * | bytes                   | Uint8Array; Decimal in a schema of that name                                 |
 * | array                   | array of values                                                              |
 * | map                     | Map                                                                          |
 * | struct                  | Struct                                                                       |
 *
 * Dates and times are numbers in the unit that the name of the schema defines. Null is the absent value of an optional
 * schema.
 */
export type ConnectValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | EncodedText
  | Uint8Array
  | Decimal
  | readonly ConnectValue[]
  | ReadonlyMap<ConnectValue, ConnectValue>
  | Struct

/**
 * A value of a struct schema. It stores its values by position, in the order of the schema's fields; `get` looks up a
 * name for callers that have no position. Structs are immutable: a transformation creates another one.
 */
export class Struct {
  readonly schema: Schema
  readonly #values: readonly ConnectValue[]

  /** `values`: one per field, in field order. The struct keeps the array itself, not a copy. */
  constructor(schema: Schema, values: readonly ConnectValue[]) {
    this.schema = schema
    this.#values = values
  }

  /** The value of the field at that position. */
  at(index: number): ConnectValue {
    return this.#values[index] as ConnectValue
  }

  /** The value of the field of that name. */
  get(name: string): ConnectValue {
    const field = this.schema.field(name)
    assert(field !== null, `${name} is not a field of ${this.schema.name ?? 'the struct'}`)
    return this.at(field.index)
  }

  /** Returns a struct with the same schema, in which some fields have other values. */
  with(changes: Readonly<Record<string, ConnectValue>>): Struct {
    const values = this.schema.fields.map(({ name, index }: Field) =>
      name in changes ? (changes[name] as ConnectValue) : this.at(index),
    )
    return new Struct(this.schema, values)
  }
}
