import {
  DECIMAL_SCHEMA_NAME,
  RawStruct,
  Struct,
  TemplateStruct,
  type ConnectValue,
  type RawLayout,
  type Schema,
} from '@tributary/connect-api'
import { ByteWriter, present, unreachable } from '@tributary/support'
import { doubleText, floatText } from '../text/java-number.ts'
import type { JsonOptions } from './json-options.ts'
import { writeJsonText } from './json-text.ts'
import { hasSameShape } from './schema-shape.ts'
import { TemplateWriter } from './template-writer.ts'
import type { RawWriter } from './raw-writer.ts'
import { compileRaw, writeRawFields } from './raw-writers.ts'
import * as scalar from './scalar-writers.ts'
import { sharedRun } from './shared-run.ts'
import { ValueSite, type PayloadWriter } from './value-site.ts'

interface Place {
  /** What stands before the value. */
  readonly lead: string
  /** For error messages. */
  readonly path: string
}

/**
 * Compiles the payload half for one schema: one closure per field, made when a schema is first met.
 *
 * Names, punctuation, nulls and booleans are byte runs that are prepared here; what is left for a value is to check its
 * type, copy the run before it and print it.
 */
export function compilePayload(schema: Schema, place: Place, options: JsonOptions): PayloadWriter {
  return compileSite(siteOf(schema, place, options), options)
}

function siteOf(schema: Schema, place: Place, options: JsonOptions): ValueSite {
  return new ValueSite(schema, place, nullText(schema, place, options))
}

/** What null is written as, or null where the schema does not allow it. */
function nullText(schema: Schema, place: Place, options: JsonOptions): string | null {
  if (schema.defaultValue !== null && options.replaceNullWithDefault) return defaultText(schema, place.path, options)
  return schema.isOptional ? 'null' : null
}

/** The default of a schema that has one, as the payload shows it. */
export function defaultText(schema: Schema, path: string, options: JsonOptions): string {
  const out = new ByteWriter(64)
  const write = compileSite(new ValueSite(schema, { lead: '', path: `${path} (default)` }, null), options)
  write(schema.defaultValue, out)
  return out.copy().toString()
}

function compileSite(site: ValueSite, options: JsonOptions): PayloadWriter {
  const { type, name } = site.schema
  switch (type) {
    case 'int8':
      return scalar.compileSmallInteger(site, 24)
    case 'int16':
      return scalar.compileSmallInteger(site, 16)
    case 'int32':
      return scalar.compileSmallInteger(site, 0)
    case 'int64':
      return scalar.compileInt64(site)
    case 'float':
      return scalar.compileFloating(site, floatText)
    case 'double':
      return scalar.compileFloating(site, doubleText)
    case 'boolean':
      return scalar.compileBoolean(site)
    case 'string':
      return scalar.compileString(site)
    case 'bytes':
      return name === DECIMAL_SCHEMA_NAME ? scalar.compileDecimal(site, options) : scalar.compileBytes(site)
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

function compileArray(site: ValueSite, options: JsonOptions): PayloadWriter {
  const lead = sharedRun(`${site.lead}[`)
  const writeItem = compilePayload(
    present(site.schema.valueSchema, 'schema of the items'),
    { lead: '', path: `${site.path}[]` },
    options,
  )
  return (value, out) => {
    if (!Array.isArray(value)) {
      site.writeOther(value, out)
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

/** Keys of type string make an object; other keys make an array of `[key,value]` pairs. */
function compileMap(site: ValueSite, options: JsonOptions): PayloadWriter {
  const keySchema = present(site.schema.keySchema, 'schema of the keys')
  const valueSchema = present(site.schema.valueSchema, 'schema of the values')
  const isObject = keySchema.type === 'string'
  const lead = sharedRun(`${site.lead}${isObject ? '{' : '['}`)
  const close = isObject ? CLOSE_BRACE : CLOSE_BRACKET
  const keyPlace = { lead: isObject ? '' : '[', path: `${site.path}{key}` }
  const writeKey = isObject ? compileName(keySchema, keyPlace, options) : compilePayload(keySchema, keyPlace, options)
  const writeValue = compilePayload(valueSchema, { lead: isObject ? ':' : ',', path: `${site.path}{value}` }, options)
  return (value, out) => {
    if (!(value instanceof Map)) {
      site.writeOther(value, out)
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
      if (!isObject) out.byte(CLOSE_BRACKET)
    }
    out.byte(close)
  }
}

/** A key of an object: as a string value, but null is the name "null" where it is allowed (Jackson's asText). */
function compileName(schema: Schema, place: Place, options: JsonOptions): PayloadWriter {
  const text = nullText(schema, place, options)
  return scalar.compileString(new ValueSite(schema, place, text === 'null' ? '"null"' : text))
}

function compileStruct(site: ValueSite, options: JsonOptions): PayloadWriter {
  const { schema, path } = site
  if (schema.fields.length === 0) return compileEmptyStruct(site)
  // The first field brings what stands before the struct.
  const sites = schema.fields.map((field) => {
    const lead = `${field.index === 0 ? `${site.lead}{` : ','}${nameText(field.name)}:`
    return siteOf(field.schema, { lead, path: `${path}.${field.name}` }, options)
  })
  const writers = markImages(
    schema,
    sites.map((each) => compileSite(each, options)),
  )
  const count = writers.length
  let other = schema
  let layout: RawLayout | null = null
  let rawWriters: readonly RawWriter[] = []
  const templates = new TemplateWriter(writers)
  return (value, out) => {
    const { marks } = out
    if (!(value instanceof Struct)) {
      marks.addStructure(true)
      site.writeOther(value, out)
      return
    }
    marks.addStructure(false)
    if (value.schema !== schema && value.schema !== other) {
      if (!hasSameShape(value.schema, schema)) throw site.misfit(value)
      other = value.schema
    }
    if (value instanceof RawStruct) {
      if (value.layout !== layout) {
        layout = value.layout
        rawWriters = compileLayout(layout, sites, writers, options)
      }
      writeRawFields(value, rawWriters, writers, out)
    } else if (value instanceof TemplateStruct) {
      templates.write(value, out)
    } else {
      for (let i = 0; i < count; i++) {
        marks.add(out.position)
        ;(writers[i] as PayloadWriter)(value.at(i), out)
      }
    }
    out.byte(CLOSE_BRACE)
  }
}

/** Fields of one struct schema are taken for what they are in an envelope: a row before and after a change. */
function markImages({ fields }: Schema, writers: readonly PayloadWriter[]): readonly PayloadWriter[] {
  const second = fields.findIndex(
    ({ schema, index }) =>
      schema.type === 'struct' && fields.some((other) => other.index < index && other.schema === schema),
  )
  const first = fields.findIndex(({ schema }) => schema === fields[second]?.schema)
  return writers.map((write, i) => {
    if (second < 0 || (i !== first && i !== second)) return write
    if (i === first) {
      return (value, out) => {
        if (value !== null) out.marks.beginFirstImage()
        write(value, out)
      }
    }
    return (value, out) => {
      const start = out.marks.count
      write(value, out)
      out.marks.endSecondImage(start)
    }
  })
}

function compileLayout(
  { fields }: RawLayout,
  sites: readonly ValueSite[],
  writers: readonly PayloadWriter[],
  options: JsonOptions,
): readonly RawWriter[] {
  return fields.map((field, i) =>
    compileRaw(field, { site: sites[i] as ValueSite, write: writers[i] as PayloadWriter }, options),
  )
}

function compileEmptyStruct(site: ValueSite): PayloadWriter {
  const whole = sharedRun(`${site.lead}{}`)
  return (value, out) => {
    if (value instanceof Struct) out.run(whole)
    else site.writeOther(value, out)
  }
}

/** A field name with quotes, escaped. */
export function nameText(name: string): string {
  const out = new ByteWriter(64)
  writeJsonText(name, out)
  return `"${out.copy().toString()}"`
}

const COMMA = 0x2c
const CLOSE_BRACKET = 0x5d
const CLOSE_BRACE = 0x7d
