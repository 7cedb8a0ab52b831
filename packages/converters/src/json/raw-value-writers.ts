import type { RawField } from '@tributary/connect-api'
import { ByteRun, type ByteWriter } from '@tributary/support'
import { writeDouble, writeFloat } from '../text/java-number.ts'
import { writeBase64Range, writeBase64Short } from './json-bytes.ts'
import type { RawSite, RawWriter } from './raw-writer.ts'
import { sharedRun } from './shared-run.ts'
import { wordAt } from './word-at.ts'

/*
 * Writers of raw values other than integers and texts, for fields whose schema has the type of the kind. With them a row of 102 columns
 * of 25 types takes half the time of the same row by way of its values.
 */

type Kind<K extends RawField['kind']> = Extract<RawField, { kind: K }>

/** Numbers of both widths, in columns of type float and double. */
export function compileRawFloat({ read }: Kind<'float'>, { site, write }: RawSite): RawWriter {
  const lead = sharedRun(site.lead)
  const writeNumber = site.schema.type === 'float' ? writeFloat : writeDouble
  return (bytes, start, end, out) => {
    const value = end - start === 4 ? floatAt(bytes, start) : doubleAt(bytes, start)
    if (!Number.isFinite(value)) {
      write(read(bytes, start, end), out)
      return
    }
    out.run(lead)
    writeNumber(value, out)
  }
}

/** Bytes are put together here: a DataView of each buffer would have to be made first. */
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

export function compileRawBytes({ read, isReversed, lengthMin }: Kind<'bytes'>, { site, write }: RawSite): RawWriter {
  const lead = sharedRun(`${site.lead}"`)
  const writeBytes = isReversed ? writeReversed : writeBase64Range
  return (bytes, start, end, out) => {
    const length = end - start
    if (length < lengthMin || (isReversed && length > scratch.length)) {
      write(read(bytes, start, end), out)
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
  writeBase64Short(scratch, 0, length, out)
}

/** What is written for the first values is kept, the name before it included. */
export function compileRawMember({ read }: Kind<'member'>, { write }: RawSite): RawWriter {
  // By the number that the value's bytes are. Nothing for those to come: a worker may have a thousand tables open, each with many such columns.
  const kept: ByteRun[] = []
  let keptCount = 0
  return (bytes, start, end, out) => {
    const number = end - start === 1 ? (bytes[start] as number) : numberAt(bytes, start, end)
    const run = number < NUMBERS ? kept[number] : undefined
    if (run !== undefined) {
      out.run(run)
      return
    }
    const from = out.position
    write(read(bytes, start, end), out)
    if (number >= NUMBERS || keptCount === KEPT_MAX) return
    kept[number] = new ByteRun(out.copy(from).toString())
    keptCount += 1
  }
}

/** More than most ENUMs have members; of a SET the combinations that come first. */
const KEPT_MAX = 32
/** Those beyond are not looked up. */
const NUMBERS = 256

/** Little-endian, unsigned; NUMBERS for what is more than two bytes. */
function numberAt(bytes: Buffer, start: number, end: number): number {
  return end - start === 2 ? (bytes[start] as number) | ((bytes[start + 1] as number) << 8) : NUMBERS
}

/** The unscaled value in base64. */
export function compileRawDecimal({ putUnscaled }: Kind<'decimal'>, { site }: RawSite): RawWriter {
  const lead = sharedRun(`${site.lead}"`)
  return (bytes, start, _end, out) => {
    out.run(lead)
    writeBase64Short(scratch, 0, putUnscaled(bytes, start, scratch), out)
    out.byte(QUOTE)
  }
}

const scratch = new Uint8Array(32)

export function compileRawPrinted({ read, print }: Kind<'printed'>, { site, write }: RawSite): RawWriter {
  const lead = sharedRun(`${site.lead}"`)
  return (bytes, start, end, out) => {
    const from = out.position
    out.run(lead)
    if (print(bytes, start, end, out)) {
      out.byte(QUOTE)
      return
    }
    out.position = from
    write(read(bytes, start, end), out)
  }
}

const QUOTE = 0x22
