import { type RawField, READ_ALREADY, type RawStruct } from '@tributary/connect-api'
import { ByteRun, type ByteWriter } from '@tributary/support'
import { textBytesWriter } from './json-text.ts'
import type { PayloadWriter, ValueSite } from './value-site.ts'
import { wordAt } from './word-at.ts'

/** Appends the value that is the bytes `[start, end)`, with the punctuation and the name that stand before it. */
export type RawWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/** A field of a struct: where its values stand in the document, and how one that is no raw bytes is written. */
export interface RawSite {
  readonly site: ValueSite
  readonly write: PayloadWriter
}

/**
 * The writer of a kind of raw bytes. It gives what `write` gives for the value of the same bytes; kinds for which nothing is saved by
 * knowing them are read and written by it.
 */
export function compileRaw(field: RawField, { site, write }: RawSite): RawWriter {
  const { type } = site.schema
  if (field.kind === 'integer' && INTEGER_TYPES.has(type)) return compileInteger(site, field)
  if (field.kind === 'text' && type === 'string') return compileText(site, field)
  const { read } = field
  return (bytes, start, end, out) => write(read(bytes, start, end), out)
}

/** A raw integer promises that every value of its bytes fits the type. */
const INTEGER_TYPES: ReadonlySet<string> = new Set(['int16', 'int32', 'int64'])

function compileInteger(site: ValueSite, { isUnsigned }: Extract<RawField, { kind: 'integer' }>): RawWriter {
  const lead = new ByteRun(site.lead)
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
  // The high half is multiplied exactly as long as the whole fits 2^53.
  if (high >= -HIGH_EXACT && high < HIGH_EXACT) out.integer(high * 2 ** 32 + low)
  else out.integer64((BigInt(high) << 32n) | BigInt(low))
}

const HIGH_EXACT = 0x20_00_00

function compileText(site: ValueSite, { charset }: Extract<RawField, { kind: 'text' }>): RawWriter {
  const lead = new ByteRun(`${site.lead}"`)
  const writeText = textBytesWriter(charset)
  return (bytes, start, end, out) => {
    out.run(lead)
    writeText(bytes, start, end, out)
    out.byte(QUOTE)
  }
}

const QUOTE = 0x22

/** Appends the fields of a struct whose layout they were compiled for. */
export function writeRawFields(
  { layout, cells }: RawStruct,
  writers: readonly RawWriter[],
  sites: readonly PayloadWriter[],
  out: ByteWriter,
): void {
  const { bytes, places, first, values } = cells
  const cellOf = layout.cells
  const { length } = writers
  const { marks } = out
  for (let i = 0; i < length; i++) {
    const cell = cellOf[i] as number
    const at = first + 2 * cell
    const start = places[at] as number
    marks.add(out.position)
    if (start >= 0) (writers[i] as RawWriter)(bytes, start, places[at + 1] as number, out)
    else (sites[i] as PayloadWriter)(start === READ_ALREADY ? (values?.[cell] ?? null) : null, out)
  }
}
