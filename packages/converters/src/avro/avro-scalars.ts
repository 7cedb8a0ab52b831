import { Decimal, EncodedText, type TextCharset } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import type { PayloadWriter } from '../json/value-site.ts'
import { writeBigLong, writeDouble, writeFloat, writeInt, writeLong } from './avro-bytes.ts'
import { type AvroSite, NO_BRANCH } from './avro-site.ts'
import { type AvroTextBytesWriter, avroTextBytesWriter, writeText } from './avro-text.ts'

/**
 * Compiled writers of values that hold no others. Each checks the type and writes the branch of the union, where there is one, and
 * the value; null and what does not fit go to the site.
 */

/** Integers of 32 bits and less: `unusedBits` of the 32 repeat the sign. */
export function compileInt(site: AvroSite, unusedBits: number): PayloadWriter {
  const { branch } = site
  return (value, out) => {
    if (typeof value !== 'number' || (value << unusedBits) >> unusedBits !== value) {
      site.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    writeInt(value, out)
  }
}

export function compileLong(site: AvroSite): PayloadWriter {
  const { branch } = site
  return (value, out) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) {
      if (branch !== NO_BRANCH) out.byte(branch)
      writeLong(value, out)
    } else if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) {
      if (branch !== NO_BRANCH) out.byte(branch)
      writeBigLong(value, out)
    } else {
      site.writeOther(value, out)
    }
  }
}

export function compileFloating(site: AvroSite, isDouble: boolean): PayloadWriter {
  const { branch } = site
  return (value, out) => {
    if (typeof value !== 'number') {
      site.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    if (isDouble) writeDouble(value, out)
    else writeFloat(value, out)
  }
}

export function compileBoolean(site: AvroSite): PayloadWriter {
  const { branch } = site
  return (value, out) => {
    if (typeof value !== 'boolean') {
      site.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    out.byte(value ? 1 : 0)
  }
}

export function compileString(site: AvroSite): PayloadWriter {
  const { branch } = site
  // One column has one charset.
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
      site.writeOther(value, out)
    }
  }
}

/** An enumeration: the position of the symbol. */
export function compileEnum(site: AvroSite, symbols: readonly string[]): PayloadWriter {
  const { branch } = site
  const positions = new Map(symbols.map((symbol, position) => [symbol, position]))
  return (value, out) => {
    const text = value instanceof EncodedText ? value.toString() : value
    const position = typeof text === 'string' ? positions.get(text) : undefined
    if (position === undefined) {
      site.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    writeInt(position, out)
  }
}

export function compileBytes(site: AvroSite): PayloadWriter {
  const { branch } = site
  return (value, out) => {
    if (!(value instanceof Uint8Array)) {
      site.writeOther(value, out)
      return
    }
    if (branch !== NO_BRANCH) out.byte(branch)
    writeInt(value.length, out)
    out.write(value)
  }
}

/** The unscaled value, big-endian in the fewest bytes. */
export function compileDecimal(site: AvroSite): PayloadWriter {
  const { branch } = site
  const scale = Number(site.schema.parameters?.['scale'])
  return (value, out) => {
    // The scale is not in the bytes: another one than the schema's would change the value.
    if (!(value instanceof Decimal) || value.scale !== scale) {
      site.writeOther(value, out)
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
