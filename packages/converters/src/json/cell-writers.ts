import { type RawField, writeDouble, writeFloat } from '@tributary/connect-api'
import { ByteRun, type ByteWriter } from '@tributary/support'
import type { CellWriter, ValueWriter } from '../writers/value-writer.ts'
import { wordAt } from '../writers/word-at.ts'
import { writeBase64Loop, writeBase64Range } from './base64.ts'
import { internedRun } from './interned-run.ts'
import type { JsonSlot } from './json-slot.ts'
import { textBytesWriter } from './json-text.ts'

/*
 * Writers of a raw row's cells, one per kind of raw field, for slots whose schema has the type of the kind. With them a
 * row of 102 columns of 25 types takes half the time that it takes by way of its values. Hot path: all array indexes
 * are in range, because `[start, end)` is a range of `bytes` and the other arrays are indexed by constants or by values
 * that are checked first.
 */

type Kind<K extends RawField['kind']> = Extract<RawField, { kind: K }>

/** The slot of a raw field, and the writer of its values for cells that the fast writer does not handle. */
export interface CellContext {
  readonly slot: JsonSlot
  readonly writeValue: ValueWriter
}

export function compileIntegerCell({ isUnsigned }: Kind<'integer'>, { slot }: CellContext): CellWriter {
  const lead = internedRun(slot.lead)
  return (bytes, start, end, out) => {
    const size = end - start
    out.run(lead)
    if (size === 4) {
      const value = wordAt(bytes, start)
      out.integer(isUnsigned ? value >>> 0 : value)
    } else if (size === 8) {
      writeInteger64(bytes, start, isUnsigned, out)
    } else {
      let value = 0
      for (let at = end - 1; at >= start; at--) value = (value << 8) | (bytes[at] as number)
      const unusedBits = 32 - 8 * size
      out.integer(isUnsigned ? value : (value << unusedBits) >> unusedBits)
    }
  }
}

function writeInteger64(bytes: Buffer, start: number, isUnsigned: boolean, out: ByteWriter): void {
  const low = wordAt(bytes, start) >>> 0
  const high = isUnsigned ? wordAt(bytes, start + 4) >>> 0 : wordAt(bytes, start + 4)
  // Within this range the sum is below 2^53, so that a double holds it exactly.
  if (high >= -HIGH_EXACT && high < HIGH_EXACT) out.integer(high * 2 ** 32 + low)
  else out.integer64((BigInt(high) << 32n) | BigInt(low))
}

const HIGH_EXACT = 0x20_00_00

export function compileTextCell({ charset }: Kind<'text'>, { slot }: CellContext): CellWriter {
  const lead = internedRun(`${slot.lead}"`)
  const writeText = textBytesWriter(charset)
  return (bytes, start, end, out) => {
    out.run(lead)
    writeText(bytes, start, end, out)
    out.byte(QUOTE)
  }
}

/** Accepts cells of 4 and of 8 bytes, whether the schema is float or double. */
export function compileFloatCell({ read }: Kind<'float'>, { slot, writeValue }: CellContext): CellWriter {
  const lead = internedRun(slot.lead)
  const writeNumber = slot.schema.type === 'float' ? writeFloat : writeDouble
  return (bytes, start, end, out) => {
    const value = end - start === 4 ? floatAt(bytes, start) : doubleAt(bytes, start)
    if (!Number.isFinite(value)) {
      writeValue(read(bytes, start, end), out)
      return
    }
    out.run(lead)
    writeNumber(value, out)
  }
}

/** Numbers are assembled in this scratch memory, because a DataView would have to be created for each buffer. */
const words = new Int32Array(2)
const floats = new Float32Array(words.buffer)
const doubles = new Float64Array(words.buffer)

function floatAt(bytes: Buffer, at: number): number {
  words[0] = wordAt(bytes, at)
  return floats[0] as number
}

function doubleAt(bytes: Buffer, at: number): number {
  words[0] = wordAt(bytes, at)
  words[1] = wordAt(bytes, at + 4)
  return doubles[0] as number
}

export function compileBytesCell(
  { read, isReversed, lengthMin }: Kind<'bytes'>,
  { slot, writeValue }: CellContext,
): CellWriter {
  const lead = internedRun(`${slot.lead}"`)
  const writeBytes = isReversed ? writeReversed : writeBase64Range
  return (bytes, start, end, out) => {
    const length = end - start
    if (length < lengthMin || (isReversed && length > scratch.length)) {
      writeValue(read(bytes, start, end), out)
      return
    }
    out.run(lead)
    writeBytes(bytes, start, end, out)
    out.byte(QUOTE)
  }
}

function writeReversed(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  const length = end - start
  for (let i = 0; i < length; i++) scratch[i] = bytes[end - 1 - i] as number
  writeBase64Loop(scratch, 0, length, out)
}

/**
 * Writes members of an ENUM or SET. Caches the output of the first distinct members, each with the field name before
 * it.
 */
export function compileMemberCell({ read }: Kind<'member'>, { writeValue }: CellContext): CellWriter {
  // Indexed by the member's number. Grows on demand: a worker may have a thousand tables open, each with many such
  // columns.
  const cached: ByteRun[] = []
  let cachedCount = 0
  return (bytes, start, end, out) => {
    const number = end - start === 1 ? (bytes[start] as number) : memberNumberAt(bytes, start, end)
    const run = number < MEMBER_NUMBERS ? cached[number] : undefined
    if (run !== undefined) {
      out.run(run)
      return
    }
    const from = out.position
    writeValue(read(bytes, start, end), out)
    if (number >= MEMBER_NUMBERS || cachedCount === CACHED_MAX) return
    cached[number] = new ByteRun(out.copy(from).toString())
    cachedCount += 1
  }
}

/** Most ENUMs have fewer members. Of a SET, the combinations that occur first are cached. */
const CACHED_MAX = 32
/** Members with larger numbers are not cached. */
const MEMBER_NUMBERS = 256

/** The little-endian unsigned number of two bytes; MEMBER_NUMBERS, which is never cached, for longer cells. */
function memberNumberAt(bytes: Buffer, start: number, end: number): number {
  return end - start === 2 ? (bytes[start] as number) | ((bytes[start + 1] as number) << 8) : MEMBER_NUMBERS
}

/** Writes the unscaled value in base64. */
export function compileDecimalCell({ putUnscaled }: Kind<'decimal'>, { slot }: CellContext): CellWriter {
  const lead = internedRun(`${slot.lead}"`)
  return (bytes, start, _end, out) => {
    out.run(lead)
    writeBase64Loop(scratch, 0, putUnscaled(bytes, start, scratch), out)
    out.byte(QUOTE)
  }
}

/** At least the 28 bytes that `putUnscaled` may need. */
const scratch = new Uint8Array(32)

export function compilePrintedCell({ read, print }: Kind<'printed'>, { slot, writeValue }: CellContext): CellWriter {
  const lead = internedRun(`${slot.lead}"`)
  return (bytes, start, end, out) => {
    const from = out.position
    out.run(lead)
    if (print(bytes, start, end, out)) {
      out.byte(QUOTE)
      return
    }
    out.position = from
    writeValue(read(bytes, start, end), out)
  }
}

const QUOTE = 0x22
