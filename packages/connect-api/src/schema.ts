import type { ConnectValue } from './value.ts'

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
  /** Insertion order is kept: it is visible in the schema document. */
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
 * The type of a value: immutable, and interned by whoever makes it. One object stands for one table version and role, so
 * that compiled work (converters, masks) is keyed by its identity and found without comparing.
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

  /** A struct of the fields in the given order. */
  static struct(fields: Iterable<readonly [name: string, schema: Schema]>, options: SchemaOptions = {}): Schema {
    const list = Array.from(fields, ([name, schema], index) => Object.freeze({ name, index, schema }))
    return new Schema('struct', { ...options, fields: list })
  }

  /** The field of that name, or null. */
  field(name: string): Field | null {
    return this.#byName.get(name) ?? null
  }

  /** The same schema with some parts replaced. */
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

/** The plain schemas, one object each. */
export const Schemas: {
  readonly int32: Schema
  readonly int64: Schema
  readonly string: Schema
  readonly boolean: Schema
  readonly optionalInt32: Schema
  readonly optionalInt64: Schema
  readonly optionalString: Schema
  readonly optionalBoolean: Schema
} = {
  int32: Schema.of('int32'),
  int64: Schema.of('int64'),
  string: Schema.of('string'),
  boolean: Schema.of('boolean'),
  optionalInt32: Schema.of('int32', { optional: true }),
  optionalInt64: Schema.of('int64', { optional: true }),
  optionalString: Schema.of('string', { optional: true }),
  optionalBoolean: Schema.of('boolean', { optional: true }),
}
