import {
  Decimal,
  EncodedText,
  Struct,
  type ConnectValue,
  type Schema,
  bigDecimalText,
  doubleText,
  floatText,
} from '@tributary/connect-api'
import { assert, present } from '@tributary/support'
import type { JsonOptions } from '../json/json-options.ts'

/**
 * The JSON converter in its simplest form, which concatenates strings. Tests compare the compiled converter with it,
 * and readers see here what the document looks like. The values must fit their schema; it checks nothing.
 */
export function referenceDocument(schema: Schema | null, value: ConnectValue, options: JsonOptions): string | null {
  if (schema === null && value === null) return null
  const payload = schema === null ? schemaless(value) : payloadOf(schema, value, options)
  if (!options.schemasEnabled) return payload
  return `{"schema":${schema === null ? 'null' : schemaOf(schema, options, '')},"payload":${payload}}`
}

function schemaOf(schema: Schema, options: JsonOptions, field: string): string {
  let text = `{"type":"${schema.type}"`
  if (schema.type === 'struct') {
    const fields = schema.fields.map((each) => schemaOf(each.schema, options, `,"field":${quote(each.name)}`))
    text += `,"fields":[${fields.join(',')}]`
  }
  if (schema.type === 'array') text += `,"items":${schemaOf(valuesOf(schema), options, '')}`
  if (schema.type === 'map') {
    text += `,"keys":${schemaOf(keysOf(schema), options, '')},"values":${schemaOf(valuesOf(schema), options, '')}`
  }
  text += `,"optional":${schema.isOptional}`
  if (schema.name !== null) text += `,"name":${quote(schema.name)}`
  if (schema.version !== null) text += `,"version":${schema.version}`
  if (schema.doc !== null) text += `,"doc":${quote(schema.doc)}`
  if (schema.parameters !== null) {
    const entries = Object.entries(schema.parameters).map(([name, value]) => `${quote(name)}:${quote(value)}`)
    text += `,"parameters":{${entries.join(',')}}`
  }
  if (schema.defaultValue !== null) text += `,"default":${payloadOf(schema, schema.defaultValue, options)}`
  return `${text}${field}}`
}

function payloadOf(schema: Schema, given: ConnectValue, options: JsonOptions): string {
  const value = given ?? (options.replaceNullWithDefault ? schema.defaultValue : null)
  if (value === null) return 'null'
  if (value instanceof Decimal) {
    return options.decimalFormat === 'NUMERIC' ? bigDecimalText(value) : base64(value.toBytes())
  }
  if (value instanceof EncodedText) return quote(value.toString())
  if (value instanceof Uint8Array) return base64(value)
  if (value instanceof Struct) {
    const members = schema.fields.map((field) => {
      return `${quote(field.name)}:${payloadOf(field.schema, value.at(field.index), options)}`
    })
    return `{${members.join(',')}}`
  }
  if (value instanceof Map) return mapPayload(schema, value, options)
  if (Array.isArray(value)) {
    const items: readonly ConnectValue[] = value
    return `[${items.map((item) => payloadOf(valuesOf(schema), item, options)).join(',')}]`
  }
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  assert(typeof value === 'number', 'the value is of the type of the schema')
  return schema.type === 'float' || schema.type === 'double' ? floating(schema, value) : String(value)
}

function mapPayload(schema: Schema, map: ReadonlyMap<ConnectValue, ConnectValue>, options: JsonOptions): string {
  const isObject = keysOf(schema).type === 'string'
  const entries = Array.from(map, ([key, value]) => {
    const name = payloadOf(keysOf(schema), key, options)
    const member = payloadOf(valuesOf(schema), value, options)
    return isObject ? `${name === 'null' ? '"null"' : name}:${member}` : `[${name},${member}]`
  })
  return isObject ? `{${entries.join(',')}}` : `[${entries.join(',')}]`
}

function schemaless(value: ConnectValue): string {
  if (typeof value === 'string') return quote(value)
  if (value instanceof EncodedText) return quote(value.toString())
  if (value instanceof Uint8Array) return base64(value)
  if (value instanceof Map) {
    const entries: readonly (readonly [ConnectValue, ConnectValue])[] = Array.from(value)
    if (entries.every(([key]) => typeof key === 'string')) {
      return `{${entries.map(([key, member]) => `${schemaless(key)}:${schemaless(member)}`).join(',')}}`
    }
    return `[${entries.map(([key, member]) => `[${schemaless(key)},${schemaless(member)}]`).join(',')}]`
  }
  if (Array.isArray(value)) {
    const items: readonly ConnectValue[] = value
    return `[${items.map(schemaless).join(',')}]`
  }
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  assert(typeof value === 'number', 'a value without a schema is a number')
  if (Number.isSafeInteger(value)) return String(value)
  return Number.isFinite(value) ? doubleText(value) : `"${value}"`
}

function floating(schema: Schema, value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`
  return schema.type === 'float' ? floatText(value) : doubleText(value)
}

function base64(bytes: Uint8Array): string {
  return `"${Buffer.from(bytes).toString('base64')}"`
}

function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what JSON escapes
  return `"${text.replaceAll(/["\\\u0000-\u001f\ud800-\udfff]/g, escapeOf)}"`
}

function escapeOf(unit: string): string {
  const short = '\b\t\n\f\r"\\'.indexOf(unit)
  if (short >= 0) return `\\${'btnfr"\\'.charAt(short)}`
  return `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

function keysOf(schema: Schema): Schema {
  return present(schema.keySchema, 'schema of the keys')
}

function valuesOf(schema: Schema): Schema {
  return present(schema.valueSchema, 'schema of the values')
}
