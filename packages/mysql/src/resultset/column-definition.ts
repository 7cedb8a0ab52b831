import { readLengthEncoded, type LengthCursor } from '../types/length-encoded.ts'

/** A column of a result, as the server describes it. */
export interface ResultColumn {
  /** As the statement calls it. */
  readonly name: string
  /** `FIELD_TYPE` */
  readonly type: number
  /** Number of the collation; 63 for bytes and numbers. */
  readonly collation: number
  readonly isUnsigned: boolean
  readonly isEnum: boolean
  readonly isSet: boolean
  /** Digits after the point, or of a second. */
  readonly decimals: number
}

/** The types that the readers distinguish (protocol page "Column Types"). The values of all others are texts. */
export const FIELD_TYPE = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  newdate: 14,
} as const

const UNSIGNED_FLAG = 0x20
const ENUM_FLAG = 0x100
const SET_FLAG = 0x800

/** Catalog, schema, table and the table's own name precede the name. */
const TEXTS_BEFORE_NAME = 4

/**
 * Protocol page "Column Definition 41": six texts with their lengths, the last two the name and the name in the table ·
 * 0x0c · int<2> collation · int<4> length · int<1> type · int<2> flags · int<1> decimals · int<2> filler.
 *
 * @throws RangeError when the packet ends before its fields do
 */
export function readColumnDefinition(bytes: Buffer, start: number, end: number): ResultColumn {
  const packet = bytes.subarray(start, end)
  const cursor: LengthCursor = { at: 0 }
  for (let i = 0; i < TEXTS_BEFORE_NAME; i++) skipText(packet, cursor)
  const length = readLengthEncoded(packet, cursor)
  const name = packet.utf8Slice(cursor.at, cursor.at + length)
  cursor.at += length
  skipText(packet, cursor)
  const at = cursor.at + 1
  const flags = packet.readUInt16LE(at + 7)
  return {
    name,
    collation: packet.readUInt16LE(at),
    type: packet.readUInt8(at + 6),
    isUnsigned: (flags & UNSIGNED_FLAG) !== 0,
    isEnum: (flags & ENUM_FLAG) !== 0,
    isSet: (flags & SET_FLAG) !== 0,
    decimals: packet.readUInt8(at + 9),
  }
}

function skipText(packet: Buffer, cursor: LengthCursor): void {
  const length = readLengthEncoded(packet, cursor)
  cursor.at += length
}
