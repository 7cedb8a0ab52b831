import {
  type ConnectValue,
  EncodedText,
  RawCells,
  type RawField,
  RawStruct,
  READ_ALREADY,
  Schema,
  Schemas,
  Struct,
  StructTemplate,
  TemplateStruct,
  type TextCharset,
} from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileAvro } from './avro-compiler.ts'
import { parseAvroSchema } from '../avro-schema/avro-document.ts'
import { parseAvroOptions } from './avro-options.ts'
import { avroSchemaText } from './avro-schema-text.ts'
import { avroValueText } from './avro-value-text.ts'

const options = parseAvroOptions({})

function encoded(schema: Schema, value: ConnectValue): Buffer {
  const out = new ByteWriter(1)
  compileAvro(schema, 'value', options)(value, out)
  return out.copy()
}

/** Zig-zag and groups of seven bits as in the specification, calculated with BigInt alone. */
function longBytes(value: bigint): number[] {
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  const bytes: number[] = []
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return [...bytes, Number(rest)]
}

function integer(isUnsigned: boolean): RawField {
  return {
    kind: 'integer',
    isUnsigned,
    read: () => assert.fail('integers are not read'),
  }
}

function text(charset: TextCharset): RawField {
  return { kind: 'text', charset, read: (bytes, start, end) => new EncodedText(bytes, start, end, charset) }
}

/** A raw struct of one cell, whose bytes are in the middle of others. */
function rawStruct(field: RawField, type: Schema, cell: Buffer): RawStruct {
  const schema = Schema.struct([['f', type]], { name: 'S' })
  const bytes = Buffer.concat([Buffer.from('left'), cell, Buffer.from('right')])
  const layout = { schema, fields: [field], cells: Int32Array.of(1) }
  return new RawStruct(layout, new RawCells(bytes, Int32Array.of(9, 9, 9, 9, 4, 4 + cell.length), 2, new ByteWriter(0)))
}

test('integers of each width are written from their bytes', () => {
  for (const [width, schema] of [
    [1, Schemas.int32],
    [2, Schemas.int32],
    [3, Schemas.optionalInt32],
    [4, Schemas.int64],
    [8, Schemas.optionalInt64],
  ] as const) {
    for (const isUnsigned of [false, true]) {
      fc.assert(
        fc.property(fc.uint8Array({ minLength: width, maxLength: width }), (cell) => {
          // Eight unsigned bytes with the highest bit set do not fit int64; no column mapping produces them.
          if (width === 8 && isUnsigned) cell[7] = (cell[7] as number) & 0x7f
          const magnitude = BigInt(`0x${Buffer.from(cell).reverse().toString('hex')}`)
          const value = isUnsigned ? magnitude : BigInt.asIntN(8 * width, magnitude)
          const raw = rawStruct(integer(isUnsigned), schema, Buffer.from(cell))
          const branch = schema.isOptional ? [2] : []
          assert.deepEqual([...encoded(raw.schema, raw)], [...branch, ...longBytes(value)])
        }),
      )
    }
  }
})

test('integers are written as in the specification, as numbers, bigints and cells', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.maxSafeInteger().map(BigInt)),
      (value) => {
        const number = Number(value)
        assert.deepEqual([...encoded(Schemas.int64, value)], longBytes(value))
        if (Number.isSafeInteger(number)) assert.deepEqual([...encoded(Schemas.int64, number)], longBytes(value))
      },
    ),
  )
})

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

test('text is written as length and UTF-8, from bytes of any charset and from strings', () => {
  const characters = fc.oneof(fc.constantFrom('é', '€', '😀', '\u0000'), fc.string({ maxLength: 40, unit: 'binary' }))
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 8 }), fc.integer({ min: 0, max: 300 }), (parts, padding) => {
      const whole = `${parts.join('')}${'a'.repeat(padding)}`.toWellFormed()
      const bytes = Buffer.from(whole)
      const expected = Buffer.concat([Buffer.from(longBytes(BigInt(bytes.length))), bytes])
      const raw = rawStruct(text(utf8), Schemas.string, bytes)
      assert.deepEqual(encoded(raw.schema, raw), expected)
      assert.deepEqual(encoded(Schemas.string, whole), expected)
      assert.deepEqual(encoded(Schemas.string, new EncodedText(bytes, 0, bytes.length, utf8)), expected)
    }),
  )
  const raw = rawStruct(text(latin1), Schemas.optionalString, Buffer.from('café', 'latin1'))
  assert.deepEqual(encoded(raw.schema, raw), Buffer.concat([Buffer.of(2, 10), Buffer.from('café')]))
})

test('null cells, cells read already and template structs are written like a plain struct', () => {
  const inner = Schema.struct(
    [
      ['id', Schemas.int32],
      ['name', Schema.of('string', { optional: true, defaultValue: 'x' })],
      ['note', Schemas.optionalString],
    ],
    { name: 'Row', optional: true },
  )
  const field: RawField = { kind: 'value', read: (bytes, start) => bytes[start] ?? null }
  const layout = { schema: inner, fields: [field, text(utf8), field], cells: Int32Array.of(0, 1, 2) }
  const places = Int32Array.of(0, 1, READ_ALREADY - 1, 5, -1, 0)
  const texts = new ByteWriter(5)
  texts.ascii('_read')
  const raw = new RawStruct(layout, new RawCells(Buffer.of(7), places, 0, texts))
  const outer = Schema.struct(
    [
      ['op', Schemas.string],
      ['row', inner],
    ],
    { name: 'Envelope' },
  )
  const template = new StructTemplate(outer, ['c', null], [1])
  const plain = new Struct(outer, ['c', new Struct(inner, [7, 'read', null])])
  const shared = encoded(outer, new TemplateStruct(template, [raw]))
  assert.deepEqual(shared, encoded(outer, plain))
  const shown = avroValueText(parseAvroSchema(avroSchemaText(outer, options)), shared, 0)
  assert.deepEqual(JSON.parse(shown), { op: 'c', row: { id: 7, name: 'read', note: null } })
  // Null in a field with a default is written as the default, as in Java.
  const withNull = encoded(outer, new Struct(outer, ['c', new Struct(inner, [7, null, null])]))
  assert.match(avroValueText(parseAvroSchema(avroSchemaText(outer, options)), withNull, 0), /"name":"x"/)
})
