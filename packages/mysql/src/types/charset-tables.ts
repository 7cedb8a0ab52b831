import { brotliDecompressSync } from 'node:zlib'
import { CHARSET_GROUPS, type PackedCharset, type PackedGroup } from './charset-data.table.ts'

/** The characters of a charset as UTF-16 units; 0: the bytes are no character. `?`: Unicode has no such character. */
export interface CharsetTable {
  /** Of the 256 single bytes. */
  readonly ones: Uint16Array
  /** By first byte × 256 + second byte; empty for a charset without characters of two bytes. */
  readonly twos: Uint16Array
  /** Of three bytes, the first being 0x8F: by second byte × 256 + third byte. Null: there are none. */
  readonly threes: Uint16Array | null
  /** Of four bytes, from 0x81308130 on in their order. Null: there are none. */
  readonly fours: Uint16Array | null
}

/**
 * Unpacks the table of a charset from the generated module.
 *
 * The data of a group is base64 of Brotli: the low bytes of all units, then the high bytes; each unit as its difference
 * from the one before. For each charset: 256 single bytes, the rectangle of `twos`, that of `threes`, `fours`.
 *
 * @throws RangeError when there is none
 */
export function charsetTable(name: string): CharsetTable {
  for (const group of CHARSET_GROUPS) {
    const index = group.charsets.findIndex((charset) => charset.name === name)
    if (index >= 0) return unpack(group, index)
  }
  throw new RangeError(`no table of the charset ${name}`)
}

function unpack({ charsets, data }: PackedGroup, index: number): CharsetTable {
  const units = unitsOf(data)
  let at = 0
  for (const charset of charsets.slice(0, index)) at += unitCount(charset)
  const { twos, threes, fours } = charsets[index] as PackedCharset
  const take = (count: number): Uint16Array => {
    at += count
    return units.slice(at - count, at)
  }
  return {
    ones: take(256),
    twos: twos === null ? new Uint16Array() : spread(twos, take(areaOf(twos))),
    threes: threes === null ? null : spread(threes, take(areaOf(threes))),
    fours: fours === 0 ? null : take(fours),
  }
}

function unitsOf(data: string): Uint16Array {
  const planes = brotliDecompressSync(Buffer.from(data, 'base64'))
  const count = planes.length / 2
  const units = new Uint16Array(count)
  let unit = 0
  for (let i = 0; i < count; i++) {
    unit = (unit + ((planes[i] as number) | ((planes[count + i] as number) << 8))) & 0xffff
    units[i] = unit
  }
  return units
}

function unitCount({ twos, threes, fours }: PackedCharset): number {
  return 256 + (twos === null ? 0 : areaOf(twos)) + (threes === null ? 0 : areaOf(threes)) + fours
}

/** First and last byte, first and last of the byte after it. */
type Rectangle = readonly [number, number, number, number]

function areaOf([top, bottom, left, right]: Rectangle): number {
  return (bottom - top + 1) * (right - left + 1)
}

function spread([top, bottom, left, right]: Rectangle, units: Uint16Array): Uint16Array {
  const table = new Uint16Array(65_536)
  const width = right - left + 1
  for (let row = top; row <= bottom; row++) {
    const from = (row - top) * width
    table.set(units.subarray(from, from + width), row * 256 + left)
  }
  return table
}
