import { assert } from '@tributary/support'
import type { Field, Schema } from './schema.ts'
import type { ConnectValue } from './value.ts'

/**
 * A value of a struct schema. Values are held by position, in the order of the schema's fields; a name is looked up only
 * by whoever has no position. Structs are not changed after they are made: a transformation makes another one.
 */
export class Struct {
  readonly schema: Schema
  readonly #values: readonly ConnectValue[]

  /** `values`: one per field, in field order. The array is taken over, not copied. */
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

  /** A struct with the same schema in which some fields have other values. */
  with(changes: Readonly<Record<string, ConnectValue>>): Struct {
    const values = this.schema.fields.map(({ name, index }: Field) =>
      name in changes ? (changes[name] as ConnectValue) : this.at(index),
    )
    return new Struct(this.schema, values)
  }
}
