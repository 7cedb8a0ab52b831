import {
  DECIMAL_SCHEMA_NAME,
  RawStruct,
  Struct,
  TemplateStruct,
  type ConnectValue,
  type RawLayout,
  type Schema,
} from '@tributary/connect-api'
import { present, unreachable } from '@tributary/support'
import type { RawWriter } from '../json/raw-writer.ts'
import { writeRawFields } from '../json/raw-writers.ts'
import { hasSameShape } from '../json/schema-shape.ts'
import { TemplateWriter } from '../json/template-writer.ts'
import type { PayloadWriter } from '../json/value-site.ts'
import { writeInt } from './avro-bytes.ts'
import type { AvroOptions } from './avro-options.ts'
import { compileAvroRaw } from './avro-raw-writers.ts'
import * as scalar from './avro-scalars.ts'
import { enumOf, isStringMap } from './avro-shape.ts'
import { AvroSite, bytesWritten, NO_BRANCH, nullOf } from './avro-site.ts'

/**
 * Compiles Avro's binary form of the values of a schema (specification 1.12, "Binary Encoding"): one closure per field, made when
 * the schema is first met. A record is its fields one after the other; nothing stands between them, so an integer of an event is
 * often one byte.
 *
 * Null where neither a union nor a default allows it is an error of the value.
 */
export function compileAvro(schema: Schema, path: string, options: AvroOptions): PayloadWriter {
  return compileSite(new AvroSite(schema, path, nullOf(schema)), options)
}

/** A field of a struct: null becomes the default where there is one (Struct.get of Connect). */
function fieldSite(schema: Schema, path: string, options: AvroOptions): AvroSite {
  const { defaultValue, isOptional } = schema
  const staysNull = defaultValue === null || (isOptional && options.ignoreDefaultForNullables)
  if (staysNull) return new AvroSite(schema, path, nullOf(schema))
  const write = compileSite(new AvroSite(schema, `${path} (default)`, null), options)
  return new AvroSite(schema, path, bytesWritten(write, defaultValue))
}

function compileSite(site: AvroSite, options: AvroOptions): PayloadWriter {
  const { type, name } = site.schema
  switch (type) {
    case 'int8':
      return scalar.compileInt(site, 24)
    case 'int16':
      return scalar.compileInt(site, 16)
    case 'int32':
      return scalar.compileInt(site, 0)
    case 'int64':
      return scalar.compileLong(site)
    case 'float':
      return scalar.compileFloating(site, false)
    case 'double':
      return scalar.compileFloating(site, true)
    case 'boolean':
      return scalar.compileBoolean(site)
    case 'string': {
      const symbols = enumOf(site.schema, options)
      return symbols === null ? scalar.compileString(site) : scalar.compileEnum(site, symbols.symbols)
    }
    case 'bytes':
      return name === DECIMAL_SCHEMA_NAME ? scalar.compileDecimal(site) : scalar.compileBytes(site)
    case 'array':
      return compileArray(site, options)
    case 'map':
      return compileMap(site, options)
    case 'struct':
      return compileStruct(site, options)
    default:
      return unreachable(type)
  }
}

/** One block with the number of its items, then an empty one. */
function compileArray(site: AvroSite, options: AvroOptions): PayloadWriter {
  const { branch, path } = site
  const writeItem = compileAvro(present(site.schema.valueSchema, 'schema of the items'), `${path}[]`, options)
  return (value, out) => {
    if (!Array.isArray(value)) {
      site.writeOther(value, out)
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

/** A map, or an array of records of key and value: written alike, but that keys of a map may not be null. */
function compileMap(site: AvroSite, options: AvroOptions): PayloadWriter {
  const { branch, schema, path } = site
  const keySchema = present(schema.keySchema, 'schema of the keys')
  const writeKey = isStringMap(schema, options)
    ? scalar.compileString(new AvroSite(keySchema.with({ optional: false }), `${path}{key}`, null))
    : compileAvro(keySchema, `${path}{key}`, options)
  const writeValue = compileAvro(present(schema.valueSchema, 'schema of the values'), `${path}{value}`, options)
  return (value, out) => {
    if (!(value instanceof Map)) {
      site.writeOther(value, out)
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

function compileStruct(site: AvroSite, options: AvroOptions): PayloadWriter {
  const { schema, path, branch } = site
  const sites = schema.fields.map((field) => fieldSite(field.schema, `${path}.${field.name}`, options))
  const writers = sites.map((each) => compileSite(each, options))
  const count = writers.length
  let other = schema
  let layout: RawLayout | null = null
  let rawWriters: readonly RawWriter[] = []
  const templates = new TemplateWriter(writers)
  return (value, out) => {
    if (!(value instanceof Struct)) {
      site.writeOther(value, out)
      return
    }
    if (value.schema !== schema && value.schema !== other) {
      if (!hasSameShape(value.schema, schema)) throw site.misfit(value)
      other = value.schema
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    if (value instanceof RawStruct) {
      if (value.layout !== layout) {
        layout = value.layout
        rawWriters = compileLayout(layout, sites, writers)
      }
      writeRawFields(value, rawWriters, writers, out)
    } else if (value instanceof TemplateStruct) {
      templates.write(value, out)
    } else {
      for (let i = 0; i < count; i++) (writers[i] as PayloadWriter)(value.at(i), out)
    }
  }
}

function compileLayout(
  { fields }: RawLayout,
  sites: readonly AvroSite[],
  writers: readonly PayloadWriter[],
): readonly RawWriter[] {
  return fields.map((field, i) => compileAvroRaw(field, sites[i] as AvroSite, writers[i] as PayloadWriter))
}

const END_OF_BLOCKS = 0
