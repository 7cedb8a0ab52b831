import { type ColumnType, type DefaultValue, escapeString, hasCharset } from '@tributary/mysql'
import { storedMembers, storedNumber } from './stored-default.ts'
import { aligned, bytesOfHex, textOfBytes } from './text-of-bytes.ts'

/** Represents CURRENT_TIMESTAMP in records, because a schema can have only one constant default. */
export const NOW_EXPRESSION = '1970-01-01 00:00:00'

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
      return type.name === 'DATETIME' || type.name === 'TIMESTAMP' ? NOW_EXPRESSION : null
    case 'string':
      return stringExpression(value.value, type)
    case 'number':
      return type.name === 'BIT' ? bitsOfNumber(value.text) : storedNumber(value.text, type, true)
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

function stringExpression(value: string, type: ColumnType): string {
  switch (type.name) {
    case 'BIT':
      return bitsOfBytes(Buffer.from(value))
    case 'CHAR':
      // The server stores a CHAR without trailing blanks, its default too.
      return escapeString(value.replace(/ +$/, ''))
    case 'ENUM':
    case 'SET':
      return escapeString(storedMembers(value, type))
    default:
      return escapeString(storedNumber(value, type, false))
  }
}

function bytesExpression(bytes: Buffer, type: ColumnType, introducer: string | null): string {
  if (type.name === 'BIT') return bitsOfBytes(bytes)
  if (hasCharset(type.name)) return textExpression(bytes, introducer ?? type.charset ?? 'utf8mb4')
  if (BINARY.has(type.name)) return textExpression(bytes, 'utf8mb4')
  return numberOf(bytes).toString()
}

function textExpression(bytes: Buffer, charset: string): string {
  const text = textOfBytes(bytes, charset)
  return text === null ? `X'${aligned(bytes, charset).toString('hex').toUpperCase()}'` : escapeString(text)
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
  return digits.replace(/^0+(?=.)/, '') || '0'
}
