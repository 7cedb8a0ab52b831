import { type ConnectValue, EncodedText, Schema } from '@tributary/connect-api'
import { charsetNamed, type ColumnType, requireCharset } from '@tributary/mysql'
import type { TypeMapping } from './column-mapping.ts'
import { unavailableJson, unavailableText } from './unavailable-value.ts'
import type { BinaryMode, ValueOptions } from './value-options.ts'

type Placeholder = Pick<ValueOptions, 'unavailable'>

/** CHAR, VARCHAR and the TEXT family: the bytes of the column, decoded on demand. Null for an unsupported charset. */
export function textMapping(type: ColumnType, { unavailable }: Placeholder): TypeMapping | null {
  const charset = charsetNamed(type.charset ?? 'utf8mb4')
  if (charset === undefined) return null
  return {
    schema: (common) => Schema.of('string', common),
    target: () => ({ kind: 'text', charset, of: (bytes, start, end) => new EncodedText(bytes, start, end, charset) }),
    isLossy: charset.isLossy,
    fallback: '',
    parseDefault: (literal) => literal,
    bytesDefault: (bytes) => charset.decode(bytes, 0, bytes.length),
    unavailable: unavailableText(unavailable),
  }
}

/** JSON columns of MySQL. (MariaDB's JSON is LONGTEXT.) */
export function jsonMapping({ unavailable }: Placeholder): TypeMapping {
  return {
    schema: (common) => Schema.of('string', { ...common, name: 'io.debezium.data.Json', version: 1 }),
    target: () => ({ kind: 'json', of: (bytes, start, end) => new EncodedText(bytes, start, end, UTF8) }),
    fallback: '{}',
    parseDefault: (literal) => literal,
    unavailable: unavailableJson(unavailable),
  }
}

const UTF8 = requireCharset('utf8mb4', 'JSON')

/** ENUM: the member's text; 0, the index of an invalid value, is the empty string. */
export function enumMapping({ members }: ColumnType, { unavailable }: Placeholder): TypeMapping {
  return {
    schema: (common) => Schema.of('string', { ...common, ...allowed('io.debezium.data.Enum', members) }),
    target: () => ({ kind: 'enum', of: (index) => (index === 0 ? '' : (members[index - 1] ?? '')) }),
    select: 'integer',
    fallback: '',
    parseDefault: (literal) => literal,
    unavailable: unavailableText(unavailable),
  }
}

/** SET: the texts of its members in the order of the definition, separated by commas. */
export function setMapping({ members }: ColumnType, { unavailable }: Placeholder): TypeMapping {
  return {
    schema: (common) => Schema.of('string', { ...common, ...allowed('io.debezium.data.EnumSet', members) }),
    target: () => ({ kind: 'set', of: keptTexts((bits) => membersOf(bits, members)) }),
    select: 'integer',
    fallback: '',
    parseDefault: (literal) => literal,
    unavailable: unavailableText(unavailable),
  }
}

/** Caches texts by value: columns contain few of the possible sets. */
function keptTexts(textOf: (bits: number | bigint) => string): (bits: number | bigint) => string {
  const texts = new Map<number | bigint, string>()
  return (bits) => {
    let text = texts.get(bits)
    if (text === undefined) {
      text = textOf(bits)
      if (texts.size < SET_TEXTS_MAX) texts.set(bits, text)
    }
    return text
  }
}

const SET_TEXTS_MAX = 256

function membersOf(bits: number | bigint, members: readonly string[]): string {
  const chosen: string[] = []
  let rest = BigInt(bits)
  for (let i = 0; rest !== 0n; i++, rest >>= 1n) if ((rest & 1n) === 1n) chosen.push(members[i] ?? '')
  return chosen.join(',')
}

/** The schema parameter with all members; commas and backslashes in them are escaped. */
function allowed(name: string, members: readonly string[]) {
  const list = members.map((member) => member.replaceAll(/[\\,]/g, String.raw`\$&`)).join(',')
  return { name, version: 1, parameters: { allowed: list } }
}

/** BINARY, VARBINARY and the BLOB family. BINARY(n) is padded to n bytes: the binlog omits zero bytes at the end. */
export function binaryMapping(type: ColumnType, { binary: mode, unavailable }: BinaryOptions): TypeMapping {
  const fixedLength = type.name === 'BINARY' ? (type.length ?? 1) : 0
  const encode = ENCODERS[mode]
  return {
    schema: (common) => Schema.of(mode === 'bytes' ? 'bytes' : 'string', common),
    target: () => ({
      kind: 'binary',
      ...(mode === 'bytes' ? { plainFrom: fixedLength } : {}),
      of: (bytes, start, end) => encode(padded(bytes, start, end, fixedLength)),
    }),
    fallback: encode(Buffer.alloc(fixedLength)),
    parseDefault: (literal) => encode(padded(Buffer.from(literal), 0, Buffer.byteLength(literal), fixedLength)),
    bytesDefault: (bytes) => encode(padded(bytes, 0, bytes.length, fixedLength)),
    unavailable: encode(unavailable),
  }
}

type BinaryOptions = Pick<ValueOptions, 'binary' | 'unavailable'>

const ENCODERS: Readonly<Record<BinaryMode, (bytes: Buffer) => ConnectValue>> = {
  bytes: (bytes) => bytes,
  base64: (bytes) => bytes.toString('base64'),
  // RFC 4648 section 5, with the padding that Node omits.
  'base64-url-safe': (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
  hex: (bytes) => bytes.toString('hex'),
}

function padded(bytes: Buffer, start: number, end: number, length: number): Buffer {
  if (end - start >= length) return bytes.subarray(start, end)
  const whole = Buffer.alloc(length)
  bytes.copy(whole, 0, start, end)
  return whole
}

/** BIT(1) is a boolean; BIT(n) is its bytes, the lowest first. */
export function bitMapping(type: ColumnType): TypeMapping {
  const bits = type.length ?? 1
  if (bits === 1) {
    return {
      schema: (common) => Schema.of('boolean', common),
      target: () => ({ kind: 'bit', of: (bytes, _start, end) => bytes[end - 1] !== 0 }),
      fallback: false,
      parseDefault: (literal) => parseBits(literal, 1)?.[0] === 1,
    }
  }
  const length = (bits + 7) >> 3
  return {
    schema: (common) =>
      Schema.of('bytes', {
        ...common,
        name: 'io.debezium.data.Bits',
        version: 1,
        parameters: { length: String(bits) },
      }),
    target: () => ({ kind: 'bit', of: (bytes, start, end) => Buffer.from(bytes.subarray(start, end)).reverse() }),
    fallback: Buffer.alloc(0),
    parseDefault: (literal) => parseBits(literal, length),
  }
}

/** `b'101'` or `101` (the digits of a bit literal) as bytes, the lowest first. */
function parseBits(literal: string, length: number): Buffer | undefined {
  const match = /^(?:b'([01]*)'|([01]+))$/i.exec(literal.trim())
  if (match === null) return undefined
  const bytes = Buffer.alloc(length)
  let value = BigInt(`0b0${match[1] ?? match[2] ?? ''}`)
  for (let i = 0; i < length; i++, value >>= 8n) bytes[i] = Number(value & 0xffn)
  return bytes
}
