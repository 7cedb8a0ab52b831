import { ByteWriter } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal } from './decimal.ts'
import { detach, detachValue } from './detach.ts'
import { EncodedText } from './encoded-text.ts'
import { RawCells, type RawField, RawStruct } from './raw-struct.ts'
import type { SourceRecord } from './record.ts'
import { Schema, Struct } from './data.ts'
import { Schemas } from './schemas.ts'
import { StructTemplate, TemplateStruct } from './template-struct.ts'

const ascii = {
  isAsciiCompatible: true,
  isUtf8: true,
  decode: (bytes: Buffer, start: number, end: number) => bytes.latin1Slice(start, end),
}
const rowSchema = Schema.struct([
  ['id', Schemas.int32],
  ['name', Schemas.optionalString],
])
const fields: readonly RawField[] = [
  { kind: 'integer', isUnsigned: false, read: (bytes, start) => bytes.readInt32LE(start) },
  { kind: 'text', charset: ascii, read: (bytes, start, end) => new EncodedText(bytes, start, end, ascii) },
]

function rawRow(bytes: Buffer, places: Int32Array): RawStruct {
  const layout = { schema: rowSchema, fields, cells: Int32Array.of(0, 1) }
  return new RawStruct(layout, new RawCells(bytes, places, 0, new ByteWriter(16)))
}

test('a detached record shares no reused memory with the original', () => {
  const bytes = Buffer.from([7, 0, 0, 0, 0x61, 0x62])
  const places = Int32Array.of(0, 4, 4, 6)
  const blob = Uint8Array.of(1, 2)
  const row = rawRow(bytes, places)
  const schema = Schema.struct([
    ['after', rowSchema],
    ['op', Schemas.string],
  ])
  const record: SourceRecord = {
    sourcePartition: { server: 's' },
    sourceOffset: { toDocument: () => ({ pos: 1 }) },
    topic: 't',
    partition: null,
    keySchema: null,
    key: new EncodedText(bytes, 4, 6, ascii),
    valueSchema: schema,
    value: new TemplateStruct(new StructTemplate(schema, [null, 'c'], [0]), [row]),
    timestamp: 3,
    headers: [{ key: 'h', schema: null, value: blob }],
  }
  const copy = detach(record)
  for (const memory of [bytes, places, blob]) memory.fill(0)

  const { key, value, headers, ...rest } = copy
  const { sourcePartition, sourceOffset } = record
  assert.deepEqual(rest, {
    sourcePartition,
    sourceOffset,
    topic: 't',
    partition: null,
    keySchema: null,
    valueSchema: schema,
    timestamp: 3,
  })
  assert.equal(key, 'ab')
  assert.ok(value instanceof Struct && !(value instanceof TemplateStruct) && value.schema === schema)
  const after = value.get('after')
  assert.ok(after instanceof Struct && !(after instanceof RawStruct) && after.schema === rowSchema)
  assert.deepEqual([after.get('id'), after.get('name'), value.get('op')], [7, 'ab', 'c'])
  assert.deepEqual(headers, [{ key: 'h', schema: null, value: Uint8Array.of(1, 2) }])
})

test('a null in a raw row stays null', () => {
  const copy = detachValue(rawRow(Buffer.from([7, 0, 0, 0]), Int32Array.of(0, 4, -1, -1)))
  assert.ok(copy instanceof Struct)
  assert.equal(copy.get('name'), null)
})

test('elements of arrays and maps are detached; values that never change are shared', () => {
  const bytes = Buffer.from('xy')
  const text = new EncodedText(bytes, 0, 2, ascii)
  const decimal = new Decimal(15, 1)
  const copies = [[text, 1], new Map([[text, [text]]]), decimal, 1n, true, null].map((value) => detachValue(value))
  bytes.fill(0)
  assert.deepEqual(copies, [['xy', 1], new Map([['xy', ['xy']]]), decimal, 1n, true, null])
})
