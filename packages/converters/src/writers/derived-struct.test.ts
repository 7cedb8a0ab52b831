import {
  type ConnectValue,
  type Converter,
  derive,
  EncodedText,
  ownField,
  RawCells,
  type RawField,
  RawStruct,
  Schema,
  Schemas,
  Struct,
  StructDerivation,
  StructTemplate,
  TemplateStruct,
  type TextCharset,
} from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileAvro } from '../avro/avro-compiler.ts'
import { parseAvroOptions } from '../avro/avro-options.ts'
import { JsonConverter } from '../json/json-converter.ts'

const utf8: TextCharset = {
  isAsciiCompatible: true,
  isUtf8: true,
  decode: (bytes, start, end) => bytes.toString('utf8', start, end),
}
const INT: RawField = { kind: 'integer', isUnsigned: false, read: (bytes, at) => bytes.readInt32LE(at) }
const TEXT: RawField = {
  kind: 'text',
  charset: utf8,
  read: (bytes, start, end) => new EncodedText(bytes, start, end, utf8),
}
const rowSchema = Schema.struct(
  [
    ['id', Schemas.int32],
    ['name', Schemas.optionalString],
    ['note', Schemas.optionalString],
  ],
  { name: 'Row' },
)
const layout = { schema: rowSchema, fields: [INT, TEXT, TEXT], cells: Int32Array.of(0, 1, 2) }

/** A row as the connector hands it over; `null` is SQL's NULL. */
function rawRow(id: number, name: string | null, note: string | null): RawStruct {
  const parts: Buffer[] = []
  const places: number[] = []
  let at = 0
  for (const value of [id, name, note]) {
    if (value === null) {
      places.push(-1, -1)
      continue
    }
    const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(Int32Array.of(value).buffer)
    places.push(at, at + bytes.length)
    at += bytes.length
    parts.push(bytes)
  }
  return new RawStruct(layout, new RawCells(Buffer.concat(parts), Int32Array.from(places), 0, new ByteWriter(0)))
}

function plain(struct: Struct): Struct {
  return new Struct(
    struct.schema,
    struct.schema.fields.map(({ index }) => struct.at(index)),
  )
}

const converter: Converter = new JsonConverter()
converter.configure({ 'schemas.enable': 'false' }, false)

function json(value: Struct): string {
  const out = new ByteWriter(16)
  converter.encoderFor(value.schema, 't').write(value, out)
  return out.copy().toString()
}

const avroWriters = new WeakMap<Schema, (value: ConnectValue, out: ByteWriter) => void>()

function avro(value: Struct): string {
  const out = new ByteWriter(16)
  let write = avroWriters.get(value.schema)
  if (write === undefined) {
    write = compileAvro(value.schema, 'value', parseAvroOptions({}))
    avroWriters.set(value.schema, write)
  }
  write(value, out)
  return out.copy().toString('hex')
}

/** Random derivations of rows: fields in any order, some twice under other names, and own values. */
const derivations = fc
  .array(fc.constantFrom(0, 1, 2, ownField(0), ownField(1)), { minLength: 1, maxLength: 7 })
  .map((sources) => {
    const types = [Schemas.int32, Schemas.optionalString, Schemas.optionalString]
    const fields = sources.map((source, i) => [`f${i}`, source < 0 ? Schemas.optionalString : types[source]] as const)
    return new StructDerivation(Schema.struct(fields as [string, Schema][], { name: 'D' }), sources, 2)
  })
const texts = fc.option(fc.string({ unit: 'grapheme' }))

test('a derived struct is written as a plain one of the same values, from bytes and from values, in JSON and Avro', () => {
  const rows = fc.tuple(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), texts, texts)
  fc.assert(
    fc.property(derivations, rows, texts, (how, cells, own) => {
      const row = rawRow(...cells)
      for (const base of [row, plain(row)]) {
        const derived = derive(how, base, [own, 'own'])
        for (const write of [json, avro]) assert.equal(write(derived), write(plain(derived)))
      }
    }),
  )
})

test('two layouts and two derivations of one schema alternate', () => {
  const schema = Schema.struct([['f', Schemas.optionalString]], { name: 'D' })
  const [first, second] = [new StructDerivation(schema, [1]), new StructDerivation(schema, [2])]
  const swapped = { ...layout, cells: Int32Array.of(0, 2, 1) }
  for (let i = 0; i < 3; i++) {
    const row = rawRow(1, `a${i}`, `b${i}`)
    const otherRow = new RawStruct(swapped, row.cells)
    assert.equal(json(derive(first, row, [])), `{"f":"a${i}"}`)
    assert.equal(json(derive(second, row, [])), `{"f":"b${i}"}`)
    assert.equal(json(derive(first, otherRow, [])), `{"f":"b${i}"}`)
    assert.equal(json(derive(second, otherRow, [])), `{"f":"a${i}"}`)
  }
})

test('fields of a template struct are taken from its shared and its own values', () => {
  const source = Schema.struct([
    ['db', Schemas.string],
    ['pos', Schemas.int64],
  ])
  const base = new TemplateStruct(new StructTemplate(source, ['shop', 0], [1]), [42])
  const schema = Schema.struct([
    ['pos', Schemas.int64],
    ['db', Schemas.string],
  ])
  assert.equal(json(derive(new StructDerivation(schema, [1, 0]), base, [])), '{"pos":42,"db":"shop"}')
})
