import { DECIMAL_SCHEMA_NAME, type RawField, READ_ALREADY, type RawStruct } from '@tributary/connect-api'
import type { ByteWriter } from '@tributary/support'
import type { JsonOptions } from './json-options.ts'
import { textBytesWriter } from './json-text.ts'
import * as values from './raw-value-writers.ts'
import type { RawSite, RawWriter } from './raw-writer.ts'
import { sharedRun } from './shared-run.ts'
import type { PayloadWriter, ValueSite } from './value-site.ts'
import { wordAt } from './word-at.ts'

/**
 * The writer of a kind of raw bytes. It gives what `write` gives for the value of the same bytes; kinds for which nothing is saved by
 * knowing them are read and written by it, and so are those that the schema says something else of.
 */
export function compileRaw(field: RawField, place: RawSite, options: JsonOptions): RawWriter {
  const { schema } = place.site
  const isDecimal = schema.name === DECIMAL_SCHEMA_NAME
  switch (field.kind) {
    case 'integer':
      if (INTEGER_TYPES.has(schema.type)) return compileInteger(place.site, field)
      break
    case 'text':
      if (schema.type === 'string') return compileText(place.site, field)
      break
    case 'float':
      if (schema.type === 'float' || schema.type === 'double') return values.compileRawFloat(field, place)
      break
    case 'bytes':
      if (schema.type === 'bytes' && !isDecimal) return values.compileRawBytes(field, place)
      break
    case 'member':
      return values.compileRawMember(field, place)
    case 'decimal':
      if (isDecimal && options.decimalFormat === 'BASE64' && Number(schema.parameters?.['scale']) === field.scale)
        return values.compileRawDecimal(field, place)
      break
    case 'printed':
      if (schema.type === 'string') return values.compileRawPrinted(field, place)
      break
    case 'value':
  }
  const { read } = field
  const { write } = place
  return (bytes, start, end, out) => write(read(bytes, start, end), out)
}

/** A raw integer promises that every value of its bytes fits the type. */
const INTEGER_TYPES: ReadonlySet<string> = new Set(['int16', 'int32', 'int64'])

function compileInteger(site: ValueSite, { isUnsigned }: Extract<RawField, { kind: 'integer' }>): RawWriter {
  const lead = sharedRun(site.lead)
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
  const lead = sharedRun(`${site.lead}"`)
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
  const { bytes, places, first, texts } = cells
  const cellOf = layout.cells
  const { length } = writers
  const { marks } = out
  for (let i = 0; i < length; i++) {
    const cell = cellOf[i] as number
    const at = first + 2 * cell
    const start = places[at] as number
    marks.add(out.position)
    if (start >= 0) (writers[i] as RawWriter)(bytes, start, places[at + 1] as number, out)
    else if (start > READ_ALREADY) (sites[i] as PayloadWriter)(null, out)
    else (writers[i] as RawWriter)(texts.bytes, READ_ALREADY - start, places[at + 1] as number, out)
  }
}
