import {
  EncodedText,
  RawCells,
  type RawField,
  RawStruct,
  Schema,
  Schemas,
  Struct,
  type TextCharset,
} from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProtobufFormat } from './protobuf-format.ts'
import { parseProtobufOptions } from './protobuf-options.ts'

function encoded(value: Struct, options: Readonly<Record<string, string>> = {}): number[] {
  const out = new ByteWriter(1)
  new ProtobufFormat(parseProtobufOptions(options), 'value').compile(value.schema).write(value, out)
  return [...out.copy()]
}

/** Groups of seven bits as in Protobuf's documentation, calculated with BigInt alone. */
function varint(value: bigint): number[] {
  let rest = BigInt.asUintN(64, value)
  const bytes: number[] = []
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}

/** A raw struct of one cell, whose bytes are in the middle of others. */
function rawStruct(field: RawField, type: Schema, cell: Buffer): RawStruct {
  const schema = Schema.struct([['f', type]], { name: 'S' })
  const bytes = Buffer.concat([Buffer.from('left'), cell, Buffer.from('right')])
  const layout = { schema, fields: [field], cells: Int32Array.of(1) }
  return new RawStruct(layout, new RawCells(bytes, Int32Array.of(9, 9, 9, 9, 4, 4 + cell.length), 2, new ByteWriter(0)))
}

const utf8: TextCharset = {
  isAsciiCompatible: true,
  isUtf8: true,
  decode: (bytes, start, end) => bytes.toString('utf8', start, end),
}
const latin1: TextCharset = {
  isAsciiCompatible: true,
  isUtf8: false,
  decode: (bytes, start, end) => bytes.toString('latin1', start, end),
}

test('integers of each width are written from their bytes; zero only with presence', () => {
  const widths = [
    [1, Schemas.int32],
    [2, Schemas.int32],
    [3, Schemas.optionalInt32],
    [4, Schemas.int64],
    [8, Schemas.optionalInt64],
  ] as const
  for (const [width, schema] of widths) {
    for (const isUnsigned of [false, true]) {
      const field: RawField = { kind: 'integer', isUnsigned, read: () => assert.fail('integers are not read') }
      const cells = fc.oneof(fc.constant(new Uint8Array(width)), fc.uint8Array({ minLength: width, maxLength: width }))
      fc.assert(
        fc.property(cells, (cell) => {
          // Eight unsigned bytes with the highest bit set do not fit int64; no column mapping produces them.
          if (width === 8 && isUnsigned) cell[7] = (cell[7] as number) & 0x7f
          const magnitude = BigInt(`0x${Buffer.from(cell).reverse().toString('hex')}`)
          const value = isUnsigned ? magnitude : BigInt.asIntN(8 * width, magnitude)
          const raw = rawStruct(field, schema, Buffer.from(cell))
          assert.deepEqual(encoded(raw), value === 0n ? [] : [8, ...varint(value)])
          const isWritten = value !== 0n || schema.isOptional
          assert.deepEqual(encoded(raw, { 'optional.for.nullables': 'true' }), isWritten ? [8, ...varint(value)] : [])
        }),
      )
    }
  }
})

test('text is written as length and UTF-8, from bytes of any charset and from strings', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400, unit: 'grapheme' }), (text) => {
      const whole = text.toWellFormed()
      const bytes = Buffer.from(whole)
      const expected = whole === '' ? [] : [10, ...varint(BigInt(bytes.length)), ...bytes]
      const field: RawField = {
        kind: 'text',
        charset: utf8,
        read: (from, start, end) => new EncodedText(from, start, end, utf8),
      }
      const raw = rawStruct(field, Schemas.string, bytes)
      assert.deepEqual(encoded(raw), expected)
      assert.deepEqual(encoded(new Struct(raw.schema, [whole])), expected)
    }),
  )
  const cafe: RawField = { kind: 'text', charset: latin1, read: () => assert.fail('it is not read') }
  assert.deepEqual(encoded(rawStruct(cafe, Schemas.string, Buffer.from('café', 'latin1'))), [
    10,
    5,
    ...Buffer.from('café'),
  ])
})

test('messages longer than 127 bytes have a longer length, also within each other', () => {
  const inner = Schema.struct([['t', Schemas.string]], { name: 'Inner' })
  const outer = Schema.struct([['i', inner]], { name: 'Outer' })
  for (const length of [0, 100, 123, 124, 125, 126, 127, 128, 200, 16_377, 16_380, 16_384, 100_000]) {
    const text = 'x'.repeat(length)
    const field = length === 0 ? [] : [10, ...varint(BigInt(length)), ...Buffer.from(text)]
    const expected = [10, ...varint(BigInt(field.length)), ...field]
    assert.deepEqual(encoded(new Struct(outer, [new Struct(inner, [text])])), expected, `${length}`)
  }
})

test('lists of numbers are packed, lists of texts are not', () => {
  const schema = Schema.struct(
    [
      ['n', Schema.array(Schemas.int32)],
      ['s', Schema.array(Schemas.string)],
    ],
    { name: 'S' },
  )
  assert.deepEqual(
    encoded(
      new Struct(schema, [
        [1, 0, 300],
        ['a', ''],
      ]),
    ),
    [10, 4, 1, 0, 0xac, 2, 18, 1, 97, 18, 0],
  )
  assert.deepEqual(encoded(new Struct(schema, [[], []])), [])
})
