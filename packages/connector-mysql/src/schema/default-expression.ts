import {
  bytesPerCharacterMin,
  charsetNamed,
  type ColumnType,
  type DefaultValue,
  escapeString,
  hasCharset,
} from '@tributary/mysql'

/** Represents CURRENT_TIMESTAMP in records, because a schema can have only one constant default. */
const NOW = '1970-01-01 00:00:00'

const BINARY: ReadonlySet<string> = new Set(['BINARY', 'VARBINARY', 'TINYBLOB', 'BLOB', 'MEDIUMBLOB', 'LONGBLOB'])

/**
 * A default value as the text of a record's `defaultValueExpression`, or null for one without such a text (NULL, an
 * expression). `readDefaultValue` is the inverse.
 *
 * - strings: with the escapes of SHOW CREATE TABLE and without quotes around them: `it''s`
 * - numbers: as written; TRUE and FALSE are 1 and 0, hexadecimal literals are decimal numbers
 * - BIT: binary digits
 * - bytes that are not UTF-8: `X'FF00'`. No string looks like that, since a quote in one is doubled.
 */
export function defaultExpression(value: DefaultValue, type: ColumnType): string | null {
  switch (value.tag) {
    case 'null':
    case 'expression':
      return null
    case 'now':
      return type.name === 'DATETIME' || type.name === 'TIMESTAMP' ? NOW : null
    case 'string':
      return stringExpression(value.value, type)
    case 'number':
      return type.name === 'BIT' ? bitsOfNumber(value.text) : value.text
    case 'boolean':
      return value.value ? '1' : '0'
    case 'hex':
      return bytesExpression(bytesOfHex(value.digits), type, value.charset)
    case 'bits':
      return type.name === 'BIT'
        ? withoutLeadingZeros(value.digits)
        : bytesExpression(bytesOfBits(value.digits), type, null)
  }
}

function stringExpression(value: string, { name }: ColumnType): string {
  if (name === 'BIT') return bitsOfBytes(Buffer.from(value))
  // The server stores a CHAR without trailing blanks, its default too.
  return escapeString(name === 'CHAR' ? value.replace(/ +$/, '') : value)
}

function bytesExpression(bytes: Buffer, type: ColumnType, introducer: string | null): string {
  if (type.name === 'BIT') return bitsOfBytes(bytes)
  if (hasCharset(type.name)) return textExpression(bytes, introducer ?? type.charset ?? 'utf8mb4')
  if (BINARY.has(type.name)) return textExpression(bytes, 'utf8mb4')
  return numberOf(bytes).toString()
}

function textExpression(unaligned: Buffer, charset: string): string {
  const bytes = aligned(unaligned, charset)
  const text = charsetNamed(charset)?.decode(bytes, 0, bytes.length)
  const isText = text !== undefined && !text.includes('\uFFFD')
  return isText ? escapeString(text) : `X'${bytes.toString('hex').toUpperCase()}'`
}

/** The server puts zeros before bytes that are no whole number of characters: in ucs2, X'41' is X'0041'. */
function aligned(bytes: Buffer, charset: string): Buffer {
  const size = bytesPerCharacterMin(charset)
  const missing = (size - (bytes.length % size)) % size
  return missing === 0 ? bytes : Buffer.concat([Buffer.alloc(missing), bytes])
}

/** x'' has whole bytes; 0x1 is 0x01. */
function bytesOfHex(digits: string): Buffer {
  return Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex')
}

function bytesOfBits(digits: string): Buffer {
  return bytesOfHex(BigInt(`0b${digits === '' ? '0' : digits}`).toString(16))
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.length === 0 ? '0' : bytes.toString('hex')}`)
}

function bitsOfBytes(bytes: Buffer): string {
  return numberOf(bytes).toString(2)
}

function bitsOfNumber(text: string): string {
  return /^\d+$/.test(text) ? BigInt(text).toString(2) : text
}

function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=.)/, '')
}
