import {
  DECIMAL_SCHEMA_NAME,
  Struct,
  type ConnectValue,
  type Schema,
  doubleText,
  floatText,
} from '@tributary/connect-api'
import { ByteWriter, present, unreachable } from '@tributary/support'
import type { JsonOptions } from './json-options.ts'
import { writeJsonText } from './json-text.ts'
import { StructWriter } from '../writers/struct-writer.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import { compileCell } from './cell-compiler.ts'
import * as scalar from './scalar-writers.ts'
import { internedRun } from './interned-run.ts'
import { JsonSlot } from './json-slot.ts'

interface Place {
  /** The text before the value. */
  readonly lead: string
  /** For error messages. */
  readonly path: string
}

/**
 * Compiles the writer of the payload half for one schema: one closure per field, made when the schema is first used.
 *
 * Names, punctuation, nulls and booleans become constant byte runs here. For each value, the writer only checks the
 * type, copies the run before the value and prints the value.
 */
export function compilePayload(schema: Schema, place: Place, options: JsonOptions): ValueWriter {
  return compileSlot(slotOf(schema, place, options), options)
}

function slotOf(schema: Schema, place: Place, options: JsonOptions): JsonSlot {
  return new JsonSlot(schema, place, nullText(schema, place, options))
}

/** Returns what null is written as; null where the schema forbids null. */
function nullText(schema: Schema, place: Place, options: JsonOptions): string | null {
  if (schema.defaultValue !== null && options.replaceNullWithDefault) return defaultText(schema, place.path, options)
  return schema.isOptional ? 'null' : null
}

/** Returns the default of a schema as the payload contains it. */
export function defaultText(schema: Schema, path: string, options: JsonOptions): string {
  const out = new ByteWriter(64)
  const write = compileSlot(new JsonSlot(schema, { lead: '', path: `${path} (default)` }, null), options)
  write(schema.defaultValue, out)
  return out.copy().toString()
}

function compileSlot(slot: JsonSlot, options: JsonOptions): ValueWriter {
  const { type, name } = slot.schema
  switch (type) {
    case 'int8':
      return scalar.compileSmallInteger(slot, 24)
    case 'int16':
      return scalar.compileSmallInteger(slot, 16)
    case 'int32':
      return scalar.compileSmallInteger(slot, 0)
    case 'int64':
      return scalar.compileInt64(slot)
    case 'float':
      return scalar.compileFloating(slot, floatText)
    case 'double':
      return scalar.compileFloating(slot, doubleText)
    case 'boolean':
      return scalar.compileBoolean(slot)
    case 'string':
      return scalar.compileString(slot)
    case 'bytes':
      return name === DECIMAL_SCHEMA_NAME ? scalar.compileDecimal(slot, options) : scalar.compileBytes(slot)
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

function compileArray(slot: JsonSlot, options: JsonOptions): ValueWriter {
  const lead = internedRun(`${slot.lead}[`)
  const writeItem = compilePayload(
    present(slot.schema.valueSchema, 'schema of the items'),
    { lead: '', path: `${slot.path}[]` },
    options,
  )
  return (value, out) => {
    if (!Array.isArray(value)) {
      slot.writeOther(value, out)
      return
    }
    const items: readonly ConnectValue[] = value
    out.run(lead)
    let isFirst = true
    for (const item of items) {
      if (isFirst) isFirst = false
      else out.byte(COMMA)
      writeItem(item, out)
    }
    out.byte(CLOSE_BRACKET)
  }
}

/**
 * A map with string keys is written as an object, any other map as an array of `[key,value]` pairs, or of objects if
 * the options require that.
 */
function compileMap(slot: JsonSlot, options: JsonOptions): ValueWriter {
  const keySchema = present(slot.schema.keySchema, 'schema of the keys')
  const valueSchema = present(slot.schema.valueSchema, 'schema of the values')
  const hasEntryObjects = options.hasEntryObjects === true
  const isObject = keySchema.type === 'string' && !(hasEntryObjects && keySchema.isOptional)
  const lead = internedRun(`${slot.lead}${isObject ? '{' : '['}`)
  const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET
  const [entryLead, valueLead, entryClose] = hasEntryObjects
    ? ['{"key":', ',"value":', CLOSE_BRACE]
    : ['[', ',', CLOSE_BRACKET]
  const keyPlace = { lead: isObject ? '' : entryLead, path: `${slot.path}{key}` }
  const writeKey = isObject ? compileName(keySchema, keyPlace, options) : compilePayload(keySchema, keyPlace, options)
  const writeValue = compilePayload(
    valueSchema,
    { lead: isObject ? ':' : valueLead, path: `${slot.path}{value}` },
    options,
  )
  return (value, out) => {
    if (!(value instanceof Map)) {
      slot.writeOther(value, out)
      return
    }
    const entries: ReadonlyMap<ConnectValue, ConnectValue> = value
    out.run(lead)
    let isFirst = true
    for (const [key, member] of entries) {
      if (isFirst) isFirst = false
      else out.byte(COMMA)
      writeKey(key, out)
      writeValue(member, out)
      if (!isObject) out.byte(entryClose)
    }
    out.byte(close)
  }
}

/**
 * Compiles the writer of an object's member names: strings; null, where it is allowed, becomes the name "null"
 * (Jackson's asText).
 */
function compileName(schema: Schema, place: Place, options: JsonOptions): ValueWriter {
  const text = nullText(schema, place, options)
  return scalar.compileString(new JsonSlot(schema, place, text === 'null' ? '"null"' : text))
}

function compileStruct(slot: JsonSlot, options: JsonOptions): ValueWriter {
  const { schema, path } = slot
  if (schema.fields.length === 0) return compileEmptyStruct(slot)
  // The lead of the first field includes that of the struct.
  const slots = schema.fields.map((field) => {
    const lead = `${field.index === 0 ? `${slot.lead}{` : ','}${nameText(field.name)}:`
    return slotOf(field.schema, { lead, path: `${path}.${field.name}` }, options)
  })
  const writers = slots.map((each) => compileSlot(each, options))
  const structs = new StructWriter({
    schema,
    writers,
    compileCell: (field, i) =>
      compileCell(
        field,
        { slot: present(slots[i], 'a slot per field'), writeValue: present(writers[i], 'a writer per field') },
        options,
      ),
    misfit: (value) => slot.misfit(value),
  })
  return (value, out) => {
    if (!(value instanceof Struct)) {
      slot.writeOther(value, out)
      return
    }
    structs.write(value, out)
    out.byte(CLOSE_BRACE)
  }
}

function compileEmptyStruct(slot: JsonSlot): ValueWriter {
  const whole = internedRun(`${slot.lead}{}`)
  return (value, out) => {
    if (value instanceof Struct) out.run(whole)
    else slot.writeOther(value, out)
  }
}

/** Returns a text as a JSON string: escaped and quoted. */
export function nameText(name: string): string {
  const out = new ByteWriter(64)
  writeJsonText(name, out)
  return `"${out.copy().toString()}"`
}

const COMMA = 0x2c
const CLOSE_BRACKET = 0x5d
const CLOSE_BRACE = 0x7d
