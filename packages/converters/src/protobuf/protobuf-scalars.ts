import { connectErrors, type ConnectValue, EncodedText, type Schema, type TextCharset } from '@tributary/connect-api'
import { unreachable, type ByteWriter } from '@tributary/support'
import { describeValue } from '../text/value-description.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import {
  protobufTextWriter,
  type TextBytesWriter,
  writeBigInteger,
  writeInteger,
  writeText,
  writeUnsigned,
} from './protobuf-bytes.ts'

/** A place that values of one schema fill. */
export interface Slot {
  readonly schema: Schema
  /** For error messages: `value.after.id`. */
  readonly path: string
  /** The tag before each value; empty for the items of a packed list. */
  readonly tag: Uint8Array
  /** Zero and empty values are written; a field without presence omits them. */
  readonly hasPresence: boolean
}

export function misfit({ schema: { type, name }, path }: Slot, value: ConnectValue): Error {
  const described = name === null ? type : `${type} (${name})`
  return connectErrors.VALUE_MISFIT({ value: describeValue(value), type: described, field: path })
}

/** Compiles the writer of a scalar that is not null: its tag and the value. */
export function compileScalar(slot: Slot): ValueWriter {
  const { type } = slot.schema
  switch (type) {
    case 'int8':
      return compileInteger(slot, 24)
    case 'int16':
      return compileInteger(slot, 16)
    case 'int32':
      return compileInteger(slot, 0)
    case 'int64':
      return compileLong(slot)
    case 'float':
      return compileFloating(slot, 4)
    case 'double':
      return compileFloating(slot, 8)
    case 'boolean':
      return compileBoolean(slot)
    case 'string':
      return compileText(slot)
    case 'bytes':
      return compileBytes(slot)
    case 'array':
    case 'map':
    case 'struct':
      throw new TypeError(`${type} is no scalar`)
    default:
      return unreachable(type)
  }
}

function compileInteger(slot: Slot, unusedBits: number): ValueWriter {
  const { tag, hasPresence } = slot
  return (value, out) => {
    if (typeof value !== 'number' || (value << unusedBits) >> unusedBits !== value) throw misfit(slot, value)
    if (value === 0 && !hasPresence) return
    out.write(tag)
    writeInteger(value, out)
  }
}

function compileLong(slot: Slot): ValueWriter {
  const { tag, hasPresence } = slot
  return (value, out) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) {
      if (value === 0 && !hasPresence) return
      out.write(tag)
      writeInteger(value, out)
    } else if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) {
      if (value === 0n && !hasPresence) return
      out.write(tag)
      writeBigInteger(value, out)
    } else {
      throw misfit(slot, value)
    }
  }
}

function compileFloating(slot: Slot, size: 4 | 8): ValueWriter {
  const { tag, hasPresence } = slot
  return (value, out) => {
    if (typeof value !== 'number') throw misfit(slot, value)
    // Negative zero is no default. A small double may be zero as a float.
    if (!hasPresence && Object.is(size === 4 ? Math.fround(value) : value, 0)) return
    out.write(tag)
    out.reserve(size)
    if (size === 4) out.view.setFloat32(out.position, value, true)
    else out.view.setFloat64(out.position, value, true)
    out.position += size
  }
}

function compileBoolean(slot: Slot): ValueWriter {
  const { tag, hasPresence } = slot
  return (value, out) => {
    if (typeof value !== 'boolean') throw misfit(slot, value)
    if (!value && !hasPresence) return
    out.write(tag)
    out.byte(value ? 1 : 0)
  }
}

function compileText(slot: Slot): ValueWriter {
  const { tag, hasPresence } = slot
  // A column has one charset, so that the writer is almost never replaced.
  let charset: TextCharset | null = null
  let writeBytes: TextBytesWriter | null = null
  return (value, out) => {
    if (value instanceof EncodedText) {
      if (value.start === value.end && !hasPresence) return
      if (writeBytes === null || value.charset !== charset) {
        charset = value.charset
        writeBytes = protobufTextWriter(charset)
      }
      out.write(tag)
      writeBytes(value.bytes, value.start, value.end, out)
    } else if (typeof value === 'string') {
      if (value === '' && !hasPresence) return
      out.write(tag)
      writeText(value, out)
    } else {
      throw misfit(slot, value)
    }
  }
}

function compileBytes(slot: Slot): ValueWriter {
  const { tag, hasPresence } = slot
  return (value, out) => {
    if (!(value instanceof Uint8Array)) throw misfit(slot, value)
    if (value.length === 0 && !hasPresence) return
    out.write(tag)
    writeUnsigned(value.length, out)
    out.write(value)
  }
}

/** The wire type of a scalar, in the low bits of its tag. */
export function wireTypeOf({ type }: Schema): 0 | 1 | 2 | 5 {
  if (type === 'float') return 5
  if (type === 'double') return 1
  return type === 'string' || type === 'bytes' ? 2 : 0
}

/** The tag of a field. */
export function tagOf(number: number, wireType: number, out: ByteWriter): Uint8Array {
  out.reset()
  writeUnsigned(number * 8 + wireType, out)
  return out.copy()
}
