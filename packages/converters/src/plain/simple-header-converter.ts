import {
  connectErrors,
  EncodedText,
  Struct,
  type ConnectValue,
  type HeaderConverter,
  type HeaderConverterPlugin,
  type Schema,
  scalarText,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { writePlain, writeText } from '../text/plain-text.ts'
import { describeValue } from '../text/value-description.ts'
import { CONVERTERS_VERSION } from '../version.ts'

/**
 * Connect's default header converter. It writes text unchanged, and structs, arrays and maps in a notation like JSON,
 * in which only quotes and backslashes are escaped:
 *
 *     string abc          abc
 *     struct of an int    {"id":1004}
 *     bytes               base64, quoted inside a struct, array or map
 *     map with int keys   {3:"x"}
 */
export class SimpleHeaderConverter implements HeaderConverter {
  configure(_options: Readonly<Record<string, string>>): void {}

  write(schema: Schema | null, value: ConnectValue, out: ByteWriter): boolean {
    if (value === null) return false
    if (!writePlain(schema, value, out)) writeText(valueText(schema, value, false), 'utf8', out)
    return true
  }
}

/** `isInside`: the value is part of another, so that text is quoted. */
function valueText(schema: Schema | null, value: ConnectValue, isInside: boolean): string {
  const scalar = scalarText(schema, value)
  if (scalar !== null) return isInside && isText(value) ? `"${scalar.replaceAll(/["\\]/g, '\\$&')}"` : scalar
  if (value instanceof Uint8Array) {
    const text = Buffer.from(value).toString('base64')
    return isInside ? `"${text}"` : text
  }
  if (Array.isArray(value)) {
    const items: readonly ConnectValue[] = value
    return `[${items.map((item) => valueText(schema?.valueSchema ?? null, item, true)).join(',')}]`
  }
  if (value instanceof Map) return mapText(schema, value)
  if (value instanceof Struct) return structText(value)
  throw connectErrors.VALUE_MISFIT({ value: describeValue(value), type: 'any kind', field: 'header' })
}

function isText(value: ConnectValue): boolean {
  return typeof value === 'string' || value instanceof EncodedText
}

function mapText(schema: Schema | null, map: ReadonlyMap<ConnectValue, ConnectValue>): string {
  const entries = Array.from(map, ([key, value]) => {
    const keyText = valueText(schema?.keySchema ?? null, key, true)
    return `${keyText}:${valueText(schema?.valueSchema ?? null, value, true)}`
  })
  return `{${entries.join(',')}}`
}

/** Writes all fields, including those that are null. The default replaces null. */
function structText(struct: Struct): string {
  const entries = struct.schema.fields.map(({ name, index, schema }) => {
    const value = struct.at(index) ?? schema.defaultValue
    return `${valueText(null, name, true)}:${valueText(schema, value, true)}`
  })
  return `{${entries.join(',')}}`
}

export const simpleHeaderConverterPlugin: HeaderConverterPlugin = {
  type: 'header_converter',
  className: 'org.apache.kafka.connect.storage.SimpleHeaderConverter',
  version: CONVERTERS_VERSION,
  create: () => new SimpleHeaderConverter(),
}
