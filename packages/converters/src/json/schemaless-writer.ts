import { connectErrors, EncodedText, type ConnectValue, doubleText } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { writeBase64 } from './base64.ts'
import { textBytesWriter, writeJsonText } from './json-text.ts'
import { describeValue } from '../text/value-description.ts'

/**
 * Appends a value without a schema, by its JavaScript type. A whole number is written as an integer, because a
 * JavaScript number does not show which of Java's types it represents. Structs and decimals need a schema, as in
 * Connect.
 */
export function writeSchemaless(value: ConnectValue, path: string, out: ByteWriter): void {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') out.ascii(String(value))
  else if (typeof value === 'number') out.ascii(numberText(value))
  else if (typeof value === 'string' || value instanceof EncodedText) writeQuoted(value, out)
  else if (value instanceof Uint8Array) {
    out.byte(QUOTE)
    writeBase64(value, out)
    out.byte(QUOTE)
  } else if (Array.isArray(value)) writeArray(value, path, out)
  else if (value instanceof Map) writeMap(value, path, out)
  else throw connectErrors.VALUE_MISFIT({ value: describeValue(value), type: 'any schemaless kind', field: path })
}

function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value)
  return Number.isFinite(value) ? doubleText(value) : `"${value}"`
}

function writeQuoted(value: string | EncodedText, out: ByteWriter): void {
  out.byte(QUOTE)
  if (typeof value === 'string') writeJsonText(value, out)
  else textBytesWriter(value.charset)(value.bytes, value.start, value.end, out)
  out.byte(QUOTE)
}

function writeArray(items: readonly ConnectValue[], path: string, out: ByteWriter): void {
  out.byte(OPEN_BRACKET)
  items.forEach((item, index) => {
    if (index > 0) out.byte(COMMA)
    writeSchemaless(item, `${path}[${index}]`, out)
  })
  out.byte(CLOSE_BRACKET)
}

/** Writes an object when every key is a string, otherwise an array of pairs. */
function writeMap(map: ReadonlyMap<ConnectValue, ConnectValue>, path: string, out: ByteWriter): void {
  const isObject = Array.from(map.keys()).every((key) => typeof key === 'string')
  out.byte(isObject ? OPEN_BRACE : OPEN_BRACKET)
  let isFirst = true
  for (const [key, value] of map) {
    if (isFirst) isFirst = false
    else out.byte(COMMA)
    if (!isObject) out.byte(OPEN_BRACKET)
    writeSchemaless(key, `${path}{key}`, out)
    out.byte(isObject ? COLON : COMMA)
    writeSchemaless(value, `${path}{value}`, out)
    if (!isObject) out.byte(CLOSE_BRACKET)
  }
  out.byte(isObject ? CLOSE_BRACE : CLOSE_BRACKET)
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
