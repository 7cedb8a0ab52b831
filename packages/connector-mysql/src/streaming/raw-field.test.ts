import { type ConnectValue, Decimal, EncodedText, type RawField } from '@tributary/connect-api'
import { columnPrinter, RowCodec, type TableMap, type WireColumn } from '@tributary/mysql'
import { ByteWriter } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapColumn } from '../values/map-column.ts'
import type { ValueOptions } from '../values/value-options.ts'
import { rawField } from './raw-field.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'

const DEFAULTS: ValueOptions = {
  decimal: 'precise',
  timePrecision: 'adaptive_time_microseconds',
  bigintUnsigned: 'long',
  binary: 'bytes',
  adjustsTwoDigitYears: true,
  unavailable: Buffer.from('__debezium_unavailable_value'),
}

/** The raw field of a column with that definition and that entry in the table map. */
function fieldOf(definition: string, wire: WireColumn, options: Partial<ValueOptions> = {}): RawField {
  const interpreter = shopInterpreter()
  interpreter.interpret(`CREATE TABLE t (c ${definition})`, { database: 'shop' })
  const [table] = interpreter.tables
  const column = table?.columns[0]
  assert.ok(column !== undefined, definition)
  const mapped = mapColumn(column, { ...DEFAULTS, ...options })
  assert.ok(mapped.tag === 'mapped', definition)
  const { mapping } = mapped
  const map: TableMap = { database: 'shop', table: 't', columns: [wire], tail: Buffer.alloc(0) }
  const compiled = RowCodec.compile<ConnectValue>(map, [mapping.target])
  assert.ok(compiled.tag === 'codec')
  const { codec } = compiled
  const read = (bytes: Buffer, start: number, end: number): ConnectValue => codec.readLocated(0, bytes, start, end)
  return rawField({ wire, width: codec.widthOf(0), target: mapping.target, read }, mapping.schema.type)
}

function cells(minLength: number, maxLength = minLength): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes))
}

/**
 * Asserts the contract of the field's kind: the bytes have the value that `read` returns. `lengthBytes` of the length
 * precede the value.
 */
function assertReadable(field: RawField, cell: Buffer, lengthBytes: number): void {
  const length = Buffer.alloc(lengthBytes)
  if (lengthBytes > 0) length.writeUIntLE(cell.length, 0, lengthBytes)
  const bytes = Buffer.concat([Buffer.from('ab'), length, cell, Buffer.from('cd')])
  const start = 2 + lengthBytes
  const end = start + cell.length
  const value = field.read(bytes, start, end)
  const out = new ByteWriter(0)
  switch (field.kind) {
    case 'printed':
      if (field.print(bytes, start, end, out)) assert.equal(out.copy().toString(), value)
      else assert.equal(out.position, 0)
      return
    case 'decimal': {
      const target = new Uint8Array(28)
      assert.ok(value instanceof Decimal)
      assert.equal(value.scale, field.scale)
      const unscaled = target.subarray(0, field.putUnscaled(bytes, start, target))
      assert.equal(Buffer.from(unscaled).toString('hex'), Buffer.from(value.toBytes()).toString('hex'))
      return
    }
    case 'bytes': {
      if (cell.length < field.lengthMin) return
      const expected = field.isReversed ? Buffer.from(cell).reverse() : cell
      assert.deepEqual(Buffer.from(value as Uint8Array), expected)
      return
    }
    case 'float':
      assert.equal(value, cell.length === 4 ? cell.readFloatLE() : cell.readDoubleLE())
      return
    case 'member':
      assert.deepEqual(field.read(Buffer.concat([length, cell]), lengthBytes, lengthBytes + cell.length), value)
      return
    default:
      assert.fail(`this test does not cover ${field.kind}`)
  }
}

/** A definition, the column of the table map (enum_field_types), the kind, and its bytes. */
const COLUMNS: readonly (readonly [
  definition: string,
  wire: WireColumn,
  kind: RawField['kind'],
  cell: fc.Arbitrary<Buffer>,
  options?: Partial<ValueOptions>,
])[] = [
  ['DECIMAL(4,2)', { type: 246, meta: (4 << 8) | 2 }, 'decimal', decimalCells([99, 99])],
  [
    'DECIMAL(30,10)',
    { type: 246, meta: (30 << 8) | 10 },
    'decimal',
    decimalCells([99, 999999999, 999999999, 999999999, 9]),
  ],
  [
    'DECIMAL(30,10)',
    { type: 246, meta: (30 << 8) | 10 },
    'printed',
    decimalCells([99, 999999999, 999999999, 999999999, 9]),
    { decimal: 'string' },
  ],
  ['DECIMAL(4,2)', { type: 246, meta: (4 << 8) | 2 }, 'printed', decimalCells([99, 99]), { decimal: 'string' }],
  ['FLOAT', { type: 4, meta: 4 }, 'float', cells(4)],
  ['FLOAT(7,3)', { type: 4, meta: 4 }, 'float', cells(4)],
  ['DOUBLE', { type: 5, meta: 8 }, 'float', cells(8)],
  ['BIT(1)', { type: 16, meta: 1 }, 'member', fc.constantFrom(Buffer.of(0), Buffer.of(1))],
  ['BIT(16)', { type: 16, meta: 16 }, 'bytes', cells(2)],
  ['BIT(61)', { type: 16, meta: 61 }, 'bytes', cells(8)],
  ['BINARY(8)', { type: 254, meta: 8 }, 'bytes', cells(0, 8)],
  ['VARBINARY(300)', { type: 15, meta: 300 }, 'bytes', cells(0, 300)],
  ['BLOB', { type: 252, meta: 2 }, 'bytes', cells(0, 100)],
  ['YEAR', { type: 13, meta: 0 }, 'member', cells(1)],
  ["ENUM('a','b')", { type: 247, meta: 1 }, 'member', cells(1)],
  ["SET('a','b','c')", { type: 248, meta: 1 }, 'member', cells(1)],
  ['TIMESTAMP', { type: 17, meta: 0 }, 'printed', timestampCells(0)],
  ['TIMESTAMP(3)', { type: 17, meta: 3 }, 'printed', timestampCells(3)],
  ['TIMESTAMP(6) NOT NULL', { type: 17, meta: 6 }, 'printed', timestampCells(6)],
]

/** Groups of digits, each up to that number. */
function decimalCells(greatest: readonly number[]): fc.Arbitrary<Buffer> {
  return fc.tuple(fc.boolean(), fc.tuple(...greatest.map((max) => fc.nat(max)))).map(([isNegative, groups]) => {
    const bytes = Buffer.concat(
      groups.map((group, i) => {
        const length = (greatest[i] as number) < 100 ? 1 : 4
        const part = Buffer.alloc(length)
        part.writeUIntBE(group, 0, length)
        return part
      }),
    )
    bytes[0] = (bytes[0] as number) ^ 0x80
    return isNegative ? Buffer.from(bytes.map((byte) => byte ^ 0xff)) : bytes
  })
}

/** The whole range of the type, with second 0. */
function timestampCells(digits: number): fc.Arbitrary<Buffer> {
  const length = (digits + 1) >> 1
  const seconds = fc.oneof(fc.constantFrom(0, 1, 86_399, 86_400, 0xff_ff_ff_ff), fc.nat(0xff_ff_ff_ff))
  return fc.tuple(seconds, fc.nat(10 ** digits - 1)).map(([second, fraction]) => {
    const bytes = Buffer.alloc(4 + length)
    bytes.writeUInt32BE(second)
    // Of an odd number of digits, the last one is the upper digit of its byte.
    if (length > 0) bytes.writeUIntBE(digits % 2 === 1 ? fraction * 10 : fraction, 4, length)
    return bytes
  })
}

for (const [definition, wire, kind, cell, options] of COLUMNS) {
  test(`the bytes of ${definition} as ${kind} have the value that they are read as`, () => {
    const field = fieldOf(definition, wire, options)
    assert.equal(field.kind, kind)
    const lengthBytes = wire.type === 252 || wire.meta === 300 ? 2 : wire.type === 254 ? 1 : 0
    fc.assert(fc.property(cell, (bytes) => assertReadable(field, bytes, lengthBytes)))
  })
}

test('a document of a JSON column has the kind text', () => {
  const field = fieldOf('JSON', { type: 245, meta: 4 })
  assert.ok(field.kind === 'text' && field.charset.isUtf8)
  const value = field.read(Buffer.from('x{"a":"ä"}x'), 1, 11)
  assert.ok(value instanceof EncodedText)
  assert.equal(value.toString(), '{"a":"ä"}')
})

test('values whose bytes have another form have the kind value', () => {
  assert.equal(fieldOf('BLOB', { type: 252, meta: 2 }, { binary: 'hex' }).kind, 'value')
  assert.equal(fieldOf('DECIMAL(4,2)', { type: 246, meta: (4 << 8) | 2 }, { decimal: 'double' }).kind, 'value')
  assert.equal(fieldOf('DATETIME', { type: 18, meta: 0 }).kind, 'value')
  assert.equal(fieldOf('INT', { type: 8, meta: 0 }).kind, 'value')
  assert.equal(fieldOf('BIGINT UNSIGNED', { type: 8, meta: 0 }).kind, 'value')
  // A table that was made before MySQL 5.6.
  assert.equal(columnPrinter({ type: 7, meta: 0 }, { kind: 'timestamp', print: () => true, of: () => null }), null)
})
