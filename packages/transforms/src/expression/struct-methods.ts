import type { Field, Schema, SchemaType, Struct } from '@tributary/connect-api'
import { EvaluationError } from './expression-error.ts'
import { charactersOf } from './kind.ts'
import type { Language } from './language.ts'
import { type Implementation, plain } from './method.ts'
import type { Scope } from './scope.ts'
import { readerOf } from './value-reader.ts'
import { SchemaField, type Value } from './values.ts'

// The methods of Connect's Struct, Schema and Field, which both languages call.

const TYPED: readonly (readonly [method: string, type: SchemaType, javaType: string])[] = [
  ['getInt8', 'int8', 'INT8'],
  ['getInt16', 'int16', 'INT16'],
  ['getInt32', 'int32', 'INT32'],
  ['getInt64', 'int64', 'INT64'],
  ['getFloat32', 'float', 'FLOAT32'],
  ['getFloat64', 'double', 'FLOAT64'],
  ['getBoolean', 'boolean', 'BOOLEAN'],
  ['getString', 'string', 'STRING'],
  ['getBytes', 'bytes', 'BYTES'],
  ['getArray', 'array', 'ARRAY'],
  ['getMap', 'map', 'MAP'],
  ['getStruct', 'struct', 'STRUCT'],
]

export function structMethods(language: Language): Readonly<Record<string, Implementation>> {
  const typed = TYPED.map(([method, type, javaType]) => {
    const implementation = plain(1, 1, (receiver, [name], scope) => {
      const [struct, field] = fieldOf(receiver, name)
      if (field.schema.type === type) return readField(struct, field, language, scope)
      throw new EvaluationError(`Field '${field.name}' is not of type ${javaType}`, "Write get('…')")
    })
    return [method, implementation] as const
  })
  return {
    ...Object.fromEntries(typed),
    get: plain(1, 1, (receiver, [name], scope) => {
      const [struct, field] = fieldOf(receiver, name)
      const value = struct.at(field.index) ?? field.schema.defaultValue
      return readerOf(field.schema, language)(value, scope)
    }),
    getWithoutDefault: plain(1, 1, (receiver, [name], scope) => {
      const [struct, field] = fieldOf(receiver, name)
      return readField(struct, field, language, scope)
    }),
    schema: plain(0, 0, (receiver) => (receiver as Struct).schema),
  }
}

function readField(struct: Struct, { index, schema }: Field, language: Language, scope: Scope): Value {
  return readerOf(schema, language)(struct.at(index), scope)
}

/** The receiver is a struct: the table of methods has these for structs only. */
function fieldOf(receiver: Value, name: Value): readonly [Struct, Field] {
  const struct = receiver as Struct
  const text = charactersOf(name)
  const field = text === null ? null : struct.schema.field(text)
  if (field === null) throw notAField(text ?? 'null')
  return [struct, field]
}

/** Connect's error for a name that a schema does not have. */
export function notAField(name: string): EvaluationError {
  const remedy =
    "Test it first (valueSchema.field('…') != null), or restrict the topics with topic.regex or a predicate"
  return new EvaluationError(`${name} is not a valid field name`, remedy)
}

export const schemaMethods: Readonly<Record<string, Implementation>> = {
  field: plain(1, 1, (receiver, [name]) => {
    const field = (receiver as Schema).field(charactersOf(name) ?? '')
    return field === null ? null : new SchemaField(field)
  }),
  name: plain(0, 0, (receiver) => (receiver as Schema).name),
  version: plain(0, 0, (receiver) => (receiver as Schema).version),
  isOptional: plain(0, 0, (receiver) => (receiver as Schema).isOptional),
}

export const fieldMethods: Readonly<Record<string, Implementation>> = {
  name: plain(0, 0, (receiver) => (receiver as SchemaField).field.name),
  index: plain(0, 0, (receiver) => (receiver as SchemaField).field.index),
  schema: plain(0, 0, (receiver) => (receiver as SchemaField).field.schema),
}
