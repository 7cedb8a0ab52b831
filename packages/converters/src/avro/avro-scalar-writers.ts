import { Decimal, EncodedText, type TextCharset } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import type { ValueWriter } from '../writers/value-writer.ts'
import { writeBigLong, writeDouble, writeFloat, writeInt, writeLong } from './avro-bytes.ts'
import { type AvroSlot, NO_BRANCH } from './avro-slot.ts'
import { type AvroTextBytesWriter, avroTextBytesWriter, writeText } from './avro-text.ts'

/**
 * Compiles the writers of scalar values. Each writer checks the type and writes the value, after its union branch where
 * there is a union. It passes null and values of a wrong type to the slot.
 */

/** Integers of 32 bits or fewer. `unusedBits`: by how many bits the type is narrower than 32. */
export function compileInt(slot: AvroSlot, unusedBits: number): ValueWriter {
  const { branch } = slot
  return (value, out) => {
    if (typeof value !== 'number' || (value << unusedBits) >> unusedBits !== value) {
      slot.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    writeInt(value, out)
  }
}

export function compileLong(slot: AvroSlot): ValueWriter {
  const { branch } = slot
  return (value, out) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) {
      if (branch !== NO_BRANCH) out.byte(branch)
      writeLong(value, out)
    } else if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) {
      if (branch !== NO_BRANCH) out.byte(branch)
      writeBigLong(value, out)
    } else {
      slot.writeOther(value, out)
    }
  }
}

export function compileFloating(slot: AvroSlot, isDouble: boolean): ValueWriter {
  const { branch } = slot
  return (value, out) => {
    if (typeof value !== 'number') {
      slot.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    if (isDouble) writeDouble(value, out)
    else writeFloat(value, out)
  }
}

export function compileBoolean(slot: AvroSlot): ValueWriter {
  const { branch } = slot
  return (value, out) => {
    if (typeof value !== 'boolean') {
      slot.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    out.byte(value ? 1 : 0)
  }
}

export function compileString(slot: AvroSlot): ValueWriter {
  const { branch } = slot
  // A column has one charset, so that the writer is almost never replaced.
  let charset: TextCharset | null = null
  let writeBytes: AvroTextBytesWriter | null = null
  return (value, out) => {
    if (value instanceof EncodedText) {
      if (writeBytes === null || value.charset !== charset) {
        charset = value.charset
        writeBytes = avroTextBytesWriter(charset)
      }
      if (branch !== NO_BRANCH) out.byte(branch)
      writeBytes(value.bytes, value.start, value.end, out)
    } else if (typeof value === 'string') {
      if (branch !== NO_BRANCH) out.byte(branch)
      writeText(value, out)
    } else {
      slot.writeOther(value, out)
    }
  }
}

/** Writes an enumeration: the index of the symbol. */
export function compileEnum(slot: AvroSlot, symbols: readonly string[]): ValueWriter {
  const { branch } = slot
  const positions = new Map(symbols.map((symbol, position) => [symbol, position]))
  return (value, out) => {
    const text = value instanceof EncodedText ? value.toString() : value
    const position = typeof text === 'string' ? positions.get(text) : undefined
    if (position === undefined) {
      slot.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    writeInt(position, out)
  }
}

export function compileBytes(slot: AvroSlot): ValueWriter {
  const { branch } = slot
  return (value, out) => {
    if (!(value instanceof Uint8Array)) {
      slot.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    writeInt(value.length, out)
    out.write(value)
  }
}

/** Writes a decimal: its unscaled value as big-endian two's complement in the fewest bytes. */
export function compileDecimal(slot: AvroSlot): ValueWriter {
  const { branch } = slot
  const scale = Number(slot.schema.parameters?.['scale'])
  return (value, out) => {
    // The bytes do not contain the scale: a scale other than the schema's would change the value.
    if (!(value instanceof Decimal) || value.scale !== scale) {
      slot.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    writeUnscaled(value, out)
  }
}

function writeUnscaled(value: Decimal, out: ByteWriter): void {
  const length = value.putBytes(unscaledScratch)
  if (length < 0) {
    const bytes = value.toBytes()
    writeInt(bytes.length, out)
    out.write(bytes)
    return
  }
  out.byte(length << 1)
  out.writeRange(unscaledScratch, 0, length)
}

const unscaledScratch = new Uint8Array(8)
