import {
  type ConnectValue,
  Decimal,
  DECIMAL_SCHEMA_NAME,
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
import { JsonConverter } from './json-converter.ts'

const utf8: TextCharset = {
  isAsciiCompatible: true,
  isUtf8: true,
  decode: (bytes, start, end) => bytes.toString('utf8', start, end),
}

function text(charset: TextCharset): RawField {
  return { kind: 'text', charset, read: (bytes, start, end) => new EncodedText(bytes, start, end, charset) }
}

/** The digits of a little-endian integer, calculated with BigInt alone. */
function oracle(bytes: Buffer, isUnsigned: boolean): string {
  const value = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
  return String(isUnsigned ? value : BigInt.asIntN(8 * bytes.length, value))
}

/** Reads integers with Buffer's methods. */
function integer(width: number, isUnsigned: boolean): RawField {
  const read = (bytes: Buffer, start: number): number | bigint => {
    if (width < 8) return isUnsigned ? bytes.readUIntLE(start, width) : bytes.readIntLE(start, width)
    const value = isUnsigned ? bytes.readBigUInt64LE(start) : bytes.readBigInt64LE(start)
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  return { kind: 'integer', isUnsigned, read }
}

function json(schema: Schema, value: ConnectValue, capacity = 16): string {
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  const out = new ByteWriter(capacity)
  converter.encoderFor(schema).write(value, out)
  return out.copy().toString()
}

/** A raw struct of one cell, whose bytes are in the middle of others. */
function rawStruct(field: RawField, type: Schema, cell: Buffer): RawStruct {
  const schema = Schema.struct([['f', type]], { name: 'S' })
  const bytes = Buffer.concat([Buffer.from('left"\\'), cell, Buffer.from('right"')])
  const layout = { schema, fields: [field], cells: Int32Array.of(1) }
  return new RawStruct(layout, new RawCells(bytes, Int32Array.of(9, 9, 9, 9, 6, 6 + cell.length), 2, new ByteWriter(0)))
}

function asStruct(raw: RawStruct): Struct {
  return new Struct(raw.schema, [raw.at(0)])
}

test('integers of each width are written like their values', () => {
  for (const [width, schema] of [
    [1, Schemas.int32],
    [2, Schemas.int32],
    [3, Schemas.int32],
    [4, Schemas.int64],
    [8, Schemas.int64],
  ] as const) {
    for (const isUnsigned of [false, true]) {
      const cells = fc.uint8Array({ minLength: width, maxLength: width })
      fc.assert(
        fc.property(cells, (cell) => {
          // Eight unsigned bytes with the highest bit set do not fit int64; no column mapping produces them.
          if (width === 8 && isUnsigned) cell[7] = (cell[7] as number) & 0x7f
          const raw = rawStruct(integer(width, isUnsigned), schema, Buffer.from(cell))
          assert.equal(json(raw.schema, raw), json(raw.schema, asStruct(raw)))
          assert.equal(json(raw.schema, raw), `{"f":${oracle(Buffer.from(cell), isUnsigned)}}`)
        }),
      )
    }
  }
})

/** Each kind with a reader of its own, made of Buffer and BigInt. */
const KINDS: readonly (readonly [name: string, field: RawField, type: Schema, cell: fc.Arbitrary<Uint8Array>])[] = [
  ['floats', { kind: 'float', read: (bytes, at) => bytes.readFloatLE(at) }, Schema.of('float'), bytesOf(4)],
  ['floats as doubles', { kind: 'float', read: (bytes, at) => bytes.readFloatLE(at) }, Schema.of('double'), bytesOf(4)],
  ['doubles', { kind: 'float', read: (bytes, at) => bytes.readDoubleLE(at) }, Schema.of('double'), bytesOf(8)],
  ['bytes', plainBytes(0), Schema.of('bytes'), bytesOf(0, 100)],
  ['bytes that may be too few', plainBytes(5), Schema.of('bytes'), bytesOf(0, 8)],
  [
    'bytes from the last to the first',
    {
      kind: 'bytes',
      isReversed: true,
      lengthMin: 0,
      read: (bytes, start, end) => Buffer.from(bytes.subarray(start, end)).reverse(),
    },
    Schema.of('bytes'),
    bytesOf(0, 40),
  ],
  ['members', { kind: 'member', read: (bytes, at) => `"${bytes[at]}"` }, Schemas.string, bytesOf(1)],
  ['members of two bytes', { kind: 'member', read: (bytes, at) => bytes.readUInt16LE(at) }, Schemas.int32, bytesOf(2)],
  [
    'members of which some are null',
    { kind: 'member', read: (bytes, at) => ((bytes[at] as number) % 2 === 0 ? null : true) },
    Schema.of('boolean', { optional: true }),
    bytesOf(1),
  ],
  ['decimals', decimal(2), decimalSchema(2), bytesOf(1, 8)],
  [
    'texts',
    {
      kind: 'printed',
      read: (bytes, start, end) => (start === end ? null : bytes.toString('hex', start, end)),
      print: (bytes, start, end, out) => {
        out.ascii(bytes.toString('hex', start, end))
        return start < end
      },
    },
    Schemas.optionalString,
    bytesOf(0, 8),
  ],
]

function bytesOf(minLength: number, maxLength = minLength): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength, maxLength })
}

function plainBytes(lengthMin: number): RawField {
  const read = (bytes: Buffer, start: number, end: number): Buffer =>
    end - start < lengthMin ? Buffer.from('padded') : bytes.subarray(start, end)
  return { kind: 'bytes', isReversed: false, lengthMin, read }
}

/** The cell's bytes are those of the unscaled value. */
function decimal(scale: number): RawField {
  return {
    kind: 'decimal',
    scale,
    read: (bytes, start, end) => {
      const unscaled = BigInt.asIntN(8 * (end - start), BigInt(`0x${bytes.toString('hex', start, end)}`))
      return new Decimal(BigInt.asIntN(54, unscaled) === unscaled ? Number(unscaled) : unscaled, scale)
    },
    putUnscaled: (bytes, start, target) => {
      const end = bytes.indexOf('right"')
      let first = start
      const isSpare = (): boolean => first < end - 1 && [0, 511].includes(bytes.readUInt16BE(first) >> 7)
      while (isSpare()) first += 1
      return bytes.copy(target, 0, first, end)
    },
  }
}

function decimalSchema(scale: number): Schema {
  return Schema.of('bytes', { name: DECIMAL_SCHEMA_NAME, version: 1, parameters: { scale: String(scale) } })
}

for (const [name, field, type, cells] of KINDS) {
  test(`${name} are written like their values, also repeatedly`, () => {
    const schema = Schema.struct([['f', type]], { name: 'S' })
    const layout = { schema, fields: [field], cells: Int32Array.of(0) }
    const converter = new JsonConverter()
    converter.configure({ 'schemas.enable': 'false' }, false)
    const encoder = converter.encoderFor(schema)
    const out = new ByteWriter(1)
    const written = (value: ConnectValue): string => {
      out.reset()
      encoder.write(value, out)
      return out.copy().toString()
    }
    fc.assert(
      fc.property(cells, (cell) => {
        const bytes = Buffer.concat([Buffer.from('left"'), cell, Buffer.from('right"')])
        const raw = new RawStruct(layout, new RawCells(bytes, Int32Array.of(5, 5 + cell.length), 0, new ByteWriter(0)))
        assert.equal(written(raw), written(asStruct(raw)))
      }),
    )
  })
}

test('a cell whose kind differs from the type of the schema is written like its value', () => {
  const cell = Buffer.of(1, 2, 3, 4)
  for (const [field, type] of [
    [{ kind: 'float', read: () => 'a text' }, Schemas.string],
    [{ kind: 'bytes', isReversed: false, lengthMin: 0, read: () => 'a text' }, Schemas.string],
    [{ kind: 'bytes', isReversed: false, lengthMin: 0, read: () => new Decimal(5, 1) }, decimalSchema(1)],
    [{ ...decimal(2), read: () => new Decimal(5, 1) }, decimalSchema(1)],
    [{ kind: 'printed', read: () => 5, print: () => true }, Schemas.int32],
    [{ kind: 'text', charset: utf8, read: () => 5 }, Schemas.int32],
  ] as const) {
    const raw = rawStruct(field, type, cell)
    assert.equal(json(raw.schema, raw), json(raw.schema, asStruct(raw)))
  }
})

test('a decimal is written as a number with decimal.format=NUMERIC', () => {
  const raw = rawStruct(decimal(2), decimalSchema(2), Buffer.of(0x7f))
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false', 'decimal.format': 'NUMERIC' }, false)
  const out = new ByteWriter(1)
  converter.encoderFor(raw.schema).write(raw, out)
  assert.equal(out.copy().toString(), '{"f":1.27}')
})

test('UTF-8 cells, short and long, are written like their texts', () => {
  const characters = fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\u0001', '\u007f', 'é', 'ß', '€', '\u2028', '\uffff', '😀', '𐍈'),
    fc.string({ maxLength: 40 }),
    fc.string({ maxLength: 40, unit: 'binary' }),
  )
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 30 }), fc.integer({ min: 0, max: 1200 }), (parts, padding) => {
      const whole = `${parts.join('')}${'é plain '.repeat(padding / 8)}`.toWellFormed()
      const raw = rawStruct(text(utf8), Schemas.string, Buffer.from(whole))
      const written = json(raw.schema, raw)
      // JavaScript strings are compared with the recordings of Java's converter elsewhere.
      assert.equal(written, json(raw.schema, new Struct(raw.schema, [whole])))
      assert.deepEqual(JSON.parse(written), { f: whole })
    }),
  )
})

test('bytes that are not valid UTF-8 are written like their decoded text', () => {
  for (const broken of [
    [0xff],
    [0x80],
    [0xc3],
    [0xc3, 0x28],
    [0xe2, 0x82],
    [0xe2, 0x28, 0xa1],
    [0xe0, 0x9f, 0xbf],
    [0xf0, 0x9f, 0x98],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xed, 0xa0, 0x80],
    [0xc0, 0x80],
  ]) {
    for (const before of ['', 'a'.repeat(200), `${'a'.repeat(200)}${'é'.repeat(60)}`]) {
      const cell = Buffer.concat([Buffer.from(before), Buffer.from(broken), Buffer.from('z')])
      const raw = rawStruct(text(utf8), Schemas.string, cell)
      assert.deepEqual(JSON.parse(json(raw.schema, raw)), { f: cell.toString('utf8') })
    }
  }
})

test('a text that becomes six times as long has enough room', () => {
  const whole = `${'\u0001'.repeat(1023)}😀`
  const raw = rawStruct(text(utf8), Schemas.string, Buffer.from(whole))
  for (let capacity = 6 * 1024; capacity < 6 * 1024 + 24; capacity++) {
    assert.deepEqual(JSON.parse(json(raw.schema, raw, capacity)), { f: whole })
  }
})

test('a null cell is written as null, and a cell read already from its text', () => {
  const schema = Schema.struct(
    [
      ['none', Schemas.optionalString],
      ['read', Schemas.string],
    ],
    { name: 'S' },
  )
  const layout = { schema, fields: [text(utf8), text(utf8)], cells: Int32Array.of(0, 1) }
  const texts = new ByteWriter(2)
  texts.ascii('other x"')
  const raw = new RawStruct(layout, new RawCells(Buffer.alloc(0), Int32Array.of(-1, 0, READ_ALREADY - 6, 8), 0, texts))
  assert.equal(json(schema, raw), '{"none":null,"read":"x\\""}')
  const read = raw.get('read')
  assert.ok(read instanceof EncodedText)
  assert.deepEqual([raw.get('none'), read.toString()], [null, 'x"'])
})

test('a template struct is written like a plain struct, also when templates alternate', () => {
  const schema = Schema.struct(
    [
      ['a', Schemas.int64],
      ['b', Schemas.string],
      ['c', Schemas.optionalInt64],
      ['d', Schemas.string],
    ],
    { name: 'S' },
  )
  const templates = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map(
    (name) => new StructTemplate(schema, [0, name, null, `${name}!`], [0, 2]),
  )
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  const encoder = converter.encoderFor(schema)
  const out = new ByteWriter(4)
  for (let i = 0; i < 60; i++) {
    const template = templates[(i * i) % 7] as StructTemplate
    const struct = new TemplateStruct(template, [i, i % 3 === 0 ? null : 1e9 * i])
    out.reset()
    encoder.write(struct, out)
    assert.equal(
      out.copy().toString(),
      json(
        schema,
        new Struct(
          schema,
          schema.fields.map(({ index }) => struct.at(index)),
        ),
      ),
    )
  }
})

test('templates with some equal values are each written with their own values, in any order', () => {
  const schema = Schema.struct(
    [
      ['first', Schemas.optionalString],
      ['own', Schemas.int64],
      ['middle', Schema.of('double')],
      ['other', Schemas.optionalInt64],
      ['another', Schemas.int32],
      ['last', Schemas.string],
    ],
    { name: 'S' },
  )
  const varying = [1, 4]
  const values: readonly (readonly ConnectValue[])[] = [
    [null, 'short', 'a text that is longer than the others, and has a " in it'],
    [0, -0, 1.5],
    [null, 7, 2n ** 60n],
    ['x', 'yy', ''],
  ]
  const templates = Array.from({ length: 81 }, (_, i) => {
    const [first, middle, other, last] = values.map((of, at) => of[Math.floor(i / 3 ** at) % 3] as ConnectValue)
    return new StructTemplate(schema, [first, 0, middle, other, 0, last] as ConnectValue[], varying)
  })
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  const encoder = converter.encoderFor(schema)
  const out = new ByteWriter(4)
  for (let i = 0; i < 1_000; i++) {
    const template = templates[(i * 53 + (i >> 3) * 7) % 81] as StructTemplate
    const struct = new TemplateStruct(template, [i, -i])
    out.reset()
    encoder.write(struct, out)
    const plain = schema.fields.map(({ index }) => struct.at(index))
    assert.equal(out.copy().toString(), json(schema, new Struct(schema, plain)))
  }
})

test('nothing is copied from a template with other varying fields', () => {
  const schema = Schema.struct(
    [
      ['a', Schemas.string],
      ['b', Schemas.string],
    ],
    { name: 'S' },
  )
  const templates = [[0], [1], [0, 1], []].map((varying) => new StructTemplate(schema, ['x', 'x'], varying))
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  const encoder = converter.encoderFor(schema)
  const out = new ByteWriter(4)
  const written = templates.map((template) => {
    out.reset()
    encoder.write(new TemplateStruct(template, ['own', 'own']), out)
    return out.copy().toString()
  })
  assert.deepEqual(written, [
    '{"a":"own","b":"x"}',
    '{"a":"x","b":"own"}',
    '{"a":"own","b":"own"}',
    '{"a":"x","b":"x"}',
  ])
})

test('a template that cannot be written does not affect the others', () => {
  const schema = Schema.struct(
    [
      ['a', Schemas.int64],
      ['b', Schemas.string],
    ],
    { name: 'S' },
  )
  const good = Array.from({ length: 4 }, (_, i) => new StructTemplate(schema, [0, `t${i}`], [0]))
  const bad = new StructTemplate(schema, [0, 5], [0])
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  const encoder = converter.encoderFor(schema)
  const out = new ByteWriter(4)
  for (let i = 0; i < 30; i++) {
    out.reset()
    assert.throws(() => encoder.write(new TemplateStruct(bad, [i]), out), /5 is not a value of type string/)
    out.reset()
    encoder.write(new TemplateStruct(good[i % 4] as StructTemplate, [i]), out)
    assert.equal(out.copy().toString(), `{"a":${i},"b":"t${i % 4}"}`)
  }
})

test('texts in alternating buffers of any size are written correctly', () => {
  const schema = Schema.struct([['t', Schemas.string]], { name: 'S' })
  const layout = { schema, fields: [text(utf8)], cells: Int32Array.of(0) }
  const texts = ['', 'short', 'sixteen or more bytes', 'quoted "', 'x'.repeat(99), `${'y'.repeat(300)} ü`]
  const buffers = [4_000, 3 << 20, 5_000, 2 << 20, 6_000].map((size, at) =>
    Buffer.concat([
      Buffer.alloc(at, 'b'),
      ...texts.map((each) => Buffer.from(`${at}${each}`)),
      Buffer.alloc(size, 'e'),
    ]),
  )
  const converter = new JsonConverter()
  converter.configure({ 'schemas.enable': 'false' }, false)
  const encoder = converter.encoderFor(schema)
  const out = new ByteWriter(4)
  for (const at of [0, 1, 0, 2, 1, 3, 1, 4, 3, 2, 0]) {
    let start = at
    for (const each of texts) {
      const end = start + Buffer.byteLength(each) + 1
      const cells = new RawCells(buffers[at] as Buffer, Int32Array.of(start, end), 0, new ByteWriter(4))
      out.reset()
      encoder.write(new RawStruct(layout, cells), out)
      assert.deepEqual(JSON.parse(out.copy().toString()), { t: `${at}${each}` })
      start = end
    }
  }
})
