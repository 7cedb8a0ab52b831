import { readServerError } from '../../commands/server-error.ts'
import { BinaryRowCodec } from '../../resultset/binary-row-codec.ts'
import { FIELD_TYPE, readColumnDefinition, type ResultColumn } from '../../resultset/column-definition.ts'
import { LabelError } from '../../resultset/binary-readers.ts'
import { TextRowCodec } from '../../resultset/text-row-codec.ts'
import type { ColumnKind } from '../../values/column-target.ts'
import { textTarget } from '../text-targets.ts'
import { isRangeError, type Seed, type Surface } from './surface.ts'

const seedOf = (bytes: Buffer): Seed => ({ bytes, context: [] })

/** Texts as the server prints values of these kinds, in a row: int<1> length · text. */
const TEXTS: readonly (readonly [ColumnKind, string])[] = [
  ['integer', '-9223372036854775808'],
  ['decimal', '-12345.6789'],
  ['float', '1.5e10'],
  ['double', '-2.5e-300'],
  ['text', 'text'],
  ['binary', 'bytes'],
  ['bit', '\u0001\u0002'],
  ['json', '{"a": [1, "x\\"y", null]}'],
  ['date', '2024-02-29'],
  ['time', '-838:59:59.000001'],
  ['datetime', '9999-12-31 23:59:59.999999'],
  ['timestamp', '2038-01-19 03:14:07.5'],
  ['year', '2024'],
  ['enum', '2'],
  ['set', '5'],
]

const textCodec = new TextRowCodec(TEXTS.map(([kind]) => textTarget(kind)))

export const textRows: Surface = {
  name: 'text rows',
  isText: false,
  seeds: [
    Buffer.concat(TEXTS.map(([, text]) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]))),
    Buffer.alloc(TEXTS.length, 0xfb),
  ].map(seedOf),
  run: (input) => void textCodec.read(input, 0, input.length),
  isExpected: isRangeError,
}

/** Types of the binary protocol with a kind, and a value of each: a comment per form. */
const BINARY: readonly (readonly [keyof typeof FIELD_TYPE | 'text', ColumnKind, readonly number[]])[] = [
  ['tiny', 'integer', [0xff]],
  ['short', 'integer', [0xff, 0x7f]],
  ['long', 'integer', [1, 2, 3, 4]],
  ['longlong', 'integer', [1, 2, 3, 4, 5, 6, 7, 0x80]],
  ['float', 'float', [0, 0, 0xc0, 0x3f]],
  ['double', 'double', [0, 0, 0, 0, 0, 0, 0xf8, 0x3f]],
  // Length, year, month, day
  ['date', 'date', [4, 0xe8, 7, 2, 29]],
  // Length, and hour, minute, second, microseconds
  ['datetime', 'datetime', [11, 0xe8, 7, 2, 29, 23, 59, 59, 1, 0, 0, 0]],
  // Length, sign, days, hour, minute, second, microseconds
  ['time', 'time', [12, 1, 34, 0, 0, 0, 22, 59, 59, 1, 0, 0, 0]],
  ['text', 'text', [4, 0x74, 0x65, 0x78, 0x74]],
  ['text', 'decimal', [4, 0x31, 0x2e, 0x35, 0x30]],
  ['text', 'json', [2, 0x5b, 0x5d]],
]

/** VAR_STRING */
const TEXT_TYPE = 253

function resultColumn(type: keyof typeof FIELD_TYPE | 'text', index: number): ResultColumn {
  const number = type === 'text' ? TEXT_TYPE : FIELD_TYPE[type]
  return { name: `c${index}`, type: number, collation: 63, isUnsigned: false, isEnum: false, isSet: false, decimals: 6 }
}

const binaryCodec = new BinaryRowCodec(
  BINARY.map(([type, kind], index) => ({
    column: resultColumn(type, index),
    into: { index, target: textTarget(kind), labels: null },
  })),
  BINARY.length,
)

export const binaryRows: Surface = {
  name: 'binary rows',
  isText: false,
  // 0x00, the bits of NULL from bit 2 on, values
  seeds: [
    Buffer.from([0, ...Array.from({ length: (BINARY.length + 9) >> 3 }, () => 0), ...BINARY.flatMap(([, , v]) => v)]),
  ].map(seedOf),
  run: (input) => void binaryCodec.read(input, 0, input.length),
  isExpected: (error) => isRangeError(error) || error instanceof LabelError,
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])

/** Column definition, then an error packet. */
export const resultPackets: Surface = {
  name: 'column definitions and error packets',
  isText: false,
  seeds: [
    Buffer.concat([
      ...['def', 's', 't', 't', 'a', 'a'].map(text),
      Buffer.from([12, 63, 0, 11, 0, 0, 0, 3, 1, 0, 0, 0, 0]),
    ]),
    Buffer.concat([Buffer.from([0xff, 0x7a, 0x04]), Buffer.from("#42S02Table 's.t' doesn't exist")]),
  ].map(seedOf),
  run(input) {
    if (input[0] === 0xff) readServerError(input, 0, input.length)
    else readColumnDefinition(input, 0, input.length)
  },
  isExpected: isRangeError,
}
