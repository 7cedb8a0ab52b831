import { bigDecimalText, type ConnectValue, Decimal, doubleText, floatText } from '@tributary/connect-api'
import type { ColumnTarget } from '@tributary/mysql'
import { binaryMapping } from '../values/string-mappings.ts'
import type { ConvertibleColumn } from './column-converter.ts'

/** The target that makes texts of the values of a column, numbers as Java prints them; null: it cannot. */
export function stringTarget({ plain, type }: ConvertibleColumn): ColumnTarget<ConnectValue> | null {
  const { target } = plain
  switch (target.kind) {
    case 'text':
    case 'json':
    case 'enum':
    case 'set':
    case 'uuid':
    case 'inet4':
    case 'inet6':
      return target
    case 'integer':
      return { kind: 'integer', isUnsigned: target.isUnsigned, of: String }
    case 'decimal':
      return { kind: 'decimal', of: (unscaled, scale) => bigDecimalText(new Decimal(unscaled, scale)) }
    case 'float':
    case 'double':
      return { kind: target.kind, of: type.name === 'FLOAT' ? ofFloat : doubleText }
    case 'binary': {
      // The bytes of the column, whatever `binary.handling.mode` makes of others.
      const bytes = binaryMapping(type, { binary: 'bytes', unavailable: Buffer.alloc(0) }).target(null)
      if (bytes.kind !== 'binary') return null
      return { kind: 'binary', of: (...place) => utf8Of(bytes.of(...place)) }
    }
    default:
      return null
  }
}

/** The default of such a column as a text; null: it has none. */
export function textOf(defaultValue: ConnectValue, { type }: ConvertibleColumn): string | null {
  if (defaultValue === null) return null
  if (defaultValue instanceof Decimal) return bigDecimalText(defaultValue)
  if (typeof defaultValue === 'bigint') return String(defaultValue)
  if (typeof defaultValue === 'number') {
    if (type.name === 'FLOAT') return ofFloat(defaultValue)
    return type.name === 'DOUBLE' || type.name === 'DECIMAL' ? doubleText(defaultValue) : String(defaultValue)
  }
  if (typeof defaultValue === 'string') return defaultValue
  return utf8Of(defaultValue)
}

function ofFloat(value: number): string {
  return floatText(Math.fround(value))
}

function utf8Of(bytes: ConnectValue): string | null {
  return bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8') : null
}
