import {
  connectErrors,
  Struct,
  type ConnectValue,
  type Converter,
  type ConverterPlugin,
  type Schema,
  type ValueEncoder,
  scalarText,
} from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import { type TextEncoding, writePlain, writeText } from '../text/plain-text.ts'
import { describeValue } from '../text/value-description.ts'
import { CONVERTERS_VERSION } from '../version.ts'

const ENCODING_OPTION = 'converter.encoding'

/** Encodings by their names in Java. */
const ENCODINGS: ReadonlyMap<string, TextEncoding> = new Map([
  ['UTF-8', 'utf8'],
  ['UTF8', 'utf8'],
  ['ISO-8859-1', 'latin1'],
  ['ISO8859_1', 'latin1'],
  ['US-ASCII', 'ascii'],
  ['ASCII', 'ascii'],
])

/**
 * Connect's StringConverter: writes any value as text in Java's notation (`Struct{id=1,name=x}`, `[1, 2]`, `{k=v}`). It
 * differs from Java in writing bytes as base64 and dates in ISO form, where Java prints an object's address and a local
 * time.
 */
export class StringConverter implements Converter {
  #encoding: TextEncoding = 'utf8'
  #role = 'value'

  configure(options: Readonly<Record<string, string>>, isKey: boolean): void {
    const name = options[ENCODING_OPTION] ?? 'UTF-8'
    const encoding = ENCODINGS.get(name.toUpperCase())
    if (encoding === undefined) {
      const reason = `known encodings are ${Array.from(ENCODINGS.keys()).join(', ')}`
      throw connectErrors.CONVERTER_OPTION({ name: ENCODING_OPTION, value: name, reason })
    }
    this.#encoding = encoding
    this.#role = isKey ? 'key' : 'value'
  }

  encoderFor(schema: Schema | null): ValueEncoder {
    const encoding = this.#encoding
    const role = this.#role
    return {
      prefix: EMPTY,
      write: (value: ConnectValue, out: ByteWriter): boolean => {
        if (value === null) return false
        if (!writePlain(schema, value, out)) writeText(plainText(schema, value, role), encoding, out)
        return true
      },
    }
  }
}

const EMPTY = new Uint8Array(0)

function plainText(schema: Schema | null, value: ConnectValue, path: string): string {
  const scalar = scalarText(schema, value)
  if (scalar !== null) return scalar
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) {
    const items: readonly ConnectValue[] = value
    return `[${items.map((item) => plainText(schema?.valueSchema ?? null, item, path)).join(', ')}]`
  }
  if (value instanceof Map) return mapText(schema, value, path)
  if (value instanceof Struct) return structText(value, path)
  throw connectErrors.VALUE_MISFIT({ value: describeValue(value), type: 'any kind', field: path })
}

function mapText(schema: Schema | null, map: ReadonlyMap<ConnectValue, ConnectValue>, path: string): string {
  const entries = Array.from(map, ([key, value]) => {
    const keyText = plainText(schema?.keySchema ?? null, key, path)
    return `${keyText}=${plainText(schema?.valueSchema ?? null, value, path)}`
  })
  return `{${entries.join(', ')}}`
}

/** Omits fields that are null. */
function structText(struct: Struct, path: string): string {
  const entries = struct.schema.fields
    .filter(({ index }) => struct.at(index) !== null)
    .map(({ name, index, schema }) => `${name}=${plainText(schema, struct.at(index), `${path}.${name}`)}`)
  return `Struct{${entries.join(',')}}`
}

export const stringConverterPlugin: ConverterPlugin = {
  type: 'converter',
  className: 'org.apache.kafka.connect.storage.StringConverter',
  version: CONVERTERS_VERSION,
  create: () => new StringConverter(),
}
