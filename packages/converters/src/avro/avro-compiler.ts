import { DECIMAL_SCHEMA_NAME, Struct, type ConnectValue, type Schema } from '@tributary/connect-api'
import { present, unreachable } from '@tributary/support'
import { StructWriter } from '../writers/struct-writer.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import { writeInt } from './avro-bytes.ts'
import type { AvroOptions } from './avro-options.ts'
import { compileAvroCell } from './avro-cell-compiler.ts'
import * as scalar from './avro-scalar-writers.ts'
import { enumOf, isStringMap } from './avro-shape.ts'
import { AvroSlot, bytesWritten, NO_BRANCH, nullOf } from './avro-slot.ts'

/**
 * Compiles the writer of Avro's binary encoding for a schema (specification 1.12, "Binary Encoding"): one closure per
 * field, made when the schema is first used. A record is the concatenation of its fields without separators, so that a
 * small integer is one byte.
 *
 * The writer throws VALUE_REQUIRED for a null that neither a union nor a default allows.
 */
export function compileAvro(schema: Schema, path: string, options: AvroOptions): ValueWriter {
  return compileSlot(new AvroSlot(schema, path, nullOf(schema)), options)
}

/**
 * The slot of a struct's field. Null in a field with a default is written as the default, as Struct.get of Connect
 * returns it.
 */
function fieldSlot(schema: Schema, path: string, options: AvroOptions): AvroSlot {
  const { defaultValue, isOptional } = schema
  const staysNull = defaultValue === null || (isOptional && options.ignoreDefaultForNullables)
  if (staysNull) return new AvroSlot(schema, path, nullOf(schema))
  const write = compileSlot(new AvroSlot(schema, `${path} (default)`, null), options)
  return new AvroSlot(schema, path, bytesWritten(write, defaultValue))
}

function compileSlot(slot: AvroSlot, options: AvroOptions): ValueWriter {
  const { type, name } = slot.schema
  switch (type) {
    case 'int8':
      return scalar.compileInt(slot, 24)
    case 'int16':
      return scalar.compileInt(slot, 16)
    case 'int32':
      return scalar.compileInt(slot, 0)
    case 'int64':
      return scalar.compileLong(slot)
    case 'float':
      return scalar.compileFloating(slot, false)
    case 'double':
      return scalar.compileFloating(slot, true)
    case 'boolean':
      return scalar.compileBoolean(slot)
    case 'string': {
      const symbols = enumOf(slot.schema, options)
      return symbols === null ? scalar.compileString(slot) : scalar.compileEnum(slot, symbols.symbols)
    }
    case 'bytes':
      return name === DECIMAL_SCHEMA_NAME ? scalar.compileDecimal(slot) : scalar.compileBytes(slot)
    case 'array':
      return compileArray(slot, options)
    case 'map':
      return compileMap(slot, options)
    case 'struct':
      return compileStruct(slot, options)
    default:
      return unreachable(type)
  }
}

/** Writes one block that begins with the number of its items, then the empty block that ends the array. */
function compileArray(slot: AvroSlot, options: AvroOptions): ValueWriter {
  const { branch, path } = slot
  const writeItem = compileAvro(present(slot.schema.valueSchema, 'schema of the items'), `${path}[]`, options)
  return (value, out) => {
    if (!Array.isArray(value)) {
      slot.writeOther(value, out)
      return
    }
    const items: readonly ConnectValue[] = value
    if (branch !== NO_BRANCH) out.byte(branch)
    if (items.length > 0) {
      writeInt(items.length, out)
      for (const item of items) writeItem(item, out)
    }
    out.byte(END_OF_BLOCKS)
  }
}

/** Avro maps and arrays of key-value records have the same encoding, except that the keys of a map must not be null. */
function compileMap(slot: AvroSlot, options: AvroOptions): ValueWriter {
  const { branch, schema, path } = slot
  const keySchema = present(schema.keySchema, 'schema of the keys')
  const writeKey = isStringMap(schema, options)
    ? scalar.compileString(new AvroSlot(keySchema.with({ optional: false }), `${path}{key}`, null))
    : compileAvro(keySchema, `${path}{key}`, options)
  const writeValue = compileAvro(present(schema.valueSchema, 'schema of the values'), `${path}{value}`, options)
  return (value, out) => {
    if (!(value instanceof Map)) {
      slot.writeOther(value, out)
      return
    }
    const entries: ReadonlyMap<ConnectValue, ConnectValue> = value
    if (branch !== NO_BRANCH) out.byte(branch)
    if (entries.size > 0) {
      writeInt(entries.size, out)
      for (const [key, member] of entries) {
        writeKey(key, out)
        writeValue(member, out)
      }
    }
    out.byte(END_OF_BLOCKS)
  }
}

function compileStruct(slot: AvroSlot, options: AvroOptions): ValueWriter {
  const { schema, path, branch } = slot
  const slots = schema.fields.map((field) => fieldSlot(field.schema, `${path}.${field.name}`, options))
  const writers = slots.map((each) => compileSlot(each, options))
  const structs = new StructWriter({
    schema,
    writers,
    compileCell: (field, i) =>
      compileAvroCell(field, present(slots[i], 'a slot per field'), present(writers[i], 'a writer per field')),
    misfit: (value) => slot.misfit(value),
  })
  return (value, out) => {
    if (!(value instanceof Struct)) {
      slot.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    structs.write(value, out)
  }
}

const END_OF_BLOCKS = 0
