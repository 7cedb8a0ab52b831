/**
 * Measures the CPU time for writing one change event as JSON: `node bench/micro/json.ts [rounds]`.
 *
 * Shapes: (a) an update of a table with four columns, (b) with thirty. The prefix (the schema half) is not copied, as
 * in a record batch with back-references. The shapes take turns in each round, and each figure is the best of all
 * rounds, which is the least disturbed one on a shared machine.
 */
import { JsonConverter } from '@tributary/converters'
import { Decimal, EncodedText, Schema, Schemas, Struct, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'

const RECORDS = 64
const PASSES = 200

const utf8 = {
  isAsciiCompatible: true,
  isUtf8: true,
  decode: (bytes: Buffer, start: number, end: number): string => bytes.utf8Slice(start, end),
}

const sourceSchema = Schema.struct(
  [
    ['version', Schemas.optionalString],
    ['name', Schemas.string],
    ['server_id', Schemas.int64],
    ['ts_sec', Schemas.int64],
    ['gtid', Schemas.optionalString],
    ['file', Schemas.string],
    ['pos', Schemas.int64],
    ['row', Schemas.int32],
    ['snapshot', Schemas.optionalBoolean],
    ['thread', Schemas.optionalInt64],
    ['db', Schemas.optionalString],
    ['table', Schemas.optionalString],
  ],
  { name: 'io.debezium.connector.mysql.Source', optional: false },
)

function sourceOf(index: number): Struct {
  const position = 154 + index * 371
  const values = ['0.1.0', 'dbserver1', 223344, 1_724_500_000 + (index >> 4), null]
  return new Struct(sourceSchema, [...values, 'mysql-bin.000003', position, 0, null, 12, 'inventory', 'customers'])
}

interface Shape {
  readonly name: string
  readonly schema: Schema
  readonly records: readonly Struct[]
}

function shapeOf(name: string, row: Schema, rowOf: (index: number) => readonly ConnectValue[]): Shape {
  const schema = Schema.struct(
    [
      ['before', row],
      ['after', row],
      ['source', sourceSchema],
      ['op', Schemas.string],
      ['ts_ms', Schemas.optionalInt64],
      ['ts_us', Schemas.optionalInt64],
      ['ts_ns', Schemas.optionalInt64],
    ],
    { name: 'dbserver1.inventory.customers.Envelope', version: 1 },
  )
  const records = Array.from({ length: RECORDS }, (_, index) => {
    const micros = 1_724_500_000_123_456 + index * 17
    return new Struct(schema, [
      new Struct(row, rowOf(index)),
      new Struct(row, rowOf(index + 1)),
      sourceOf(index),
      'u',
      Math.floor(micros / 1000),
      micros,
      BigInt(micros) * 1000n,
    ])
  })
  return { name, schema, records }
}

/** A block as read from a socket, with the texts of many rows. */
const block = Buffer.alloc(1 << 18)
let blockEnd = 0

/** Returns a text as it arrives: a range of bytes within a larger buffer. */
function encoded(text: string): EncodedText {
  const start = blockEnd + 4
  const end = start + block.write(text, start)
  if (end >= block.length) throw new Error('the texts need a larger block')
  blockEnd = end
  return new EncodedText(block, start, end, utf8)
}

const customer = Schema.struct(
  [
    ['id', Schemas.int32],
    ['first_name', Schemas.string],
    ['last_name', Schemas.string],
    ['email', Schemas.string],
  ],
  { name: 'dbserver1.inventory.customers.Value', optional: true },
)

const decimal = Schema.of('bytes', {
  name: 'org.apache.kafka.connect.data.Decimal',
  version: 1,
  parameters: { scale: '2' },
  optional: true,
})
const wideKinds: readonly (readonly [string, Schema, (index: number) => ConnectValue])[] = [
  ['number', Schemas.int32, (index) => 1000 + index * 31],
  ['name', Schemas.optionalString, (index) => encoded(`text of the row ${index + 1000}`)],
  ['created', Schemas.optionalInt64, (index) => 1_724_500_000_000 + index * 977],
  ['amount', decimal, (index) => new Decimal(index * 12_345, 2)],
  ['flag', Schemas.optionalBoolean, (index) => index % 2 === 0],
  ['empty', Schemas.optionalString, () => null],
]
const wideColumns = Array.from({ length: 30 }, (_, index) => ({
  name: `${wideKinds[index % 6]?.[0]}_${index}`,
  schema: wideKinds[index % 6]?.[1] ?? Schemas.string,
  valueOf: wideKinds[index % 6]?.[2] ?? (() => null),
}))
const wide = Schema.struct(
  wideColumns.map(({ name, schema }) => [name, schema]),
  { name: 'dbserver1.inventory.wide.Value', optional: true },
)

const shapes: readonly Shape[] = [
  shapeOf('(a) 4 columns, encoded text', customer, (index) => [
    1000 + index,
    encoded(`Anne Marie of row ${index}`),
    encoded(`Kretchmar the ${index}.`),
    encoded(`anne.${index}@noanswer.org`),
  ]),
  shapeOf('(a) with JavaScript strings', customer, (index) => [
    1000 + index,
    `Anne Marie of row ${index}`,
    `Kretchmar the ${index}.`,
    `anne.${index}@noanswer.org`,
  ]),
  shapeOf('(b) 30 columns', wide, (index) => wideColumns.map(({ valueOf }) => valueOf(index))),
]

const converter = new JsonConverter()
const out = new ByteWriter(1 << 20)

/** Returns the CPU time per record in microseconds, averaged over all passes. */
function measure({ schema, records }: Shape): number {
  const encoder = converter.encoderFor(schema)
  const start = process.cpuUsage()
  for (let pass = 0; pass < PASSES; pass++) {
    out.reset()
    for (const record of records) encoder.write(record, out)
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / (PASSES * records.length)
}

const rounds = Number(process.argv[2] ?? 12)
const best = shapes.map(() => Infinity)
for (let round = 0; round < rounds; round++) {
  shapes.forEach((shape, index) => {
    best[index] = Math.min(best[index] ?? Infinity, measure(shape))
  })
}
shapes.forEach((shape, index) => {
  out.reset()
  for (const record of shape.records) converter.encoderFor(shape.schema).write(record, out)
  const bytes = Math.round(out.position / shape.records.length)
  console.log(`${shape.name.padEnd(30)} ${best[index]?.toFixed(3)} µs  ${bytes} bytes`)
})
