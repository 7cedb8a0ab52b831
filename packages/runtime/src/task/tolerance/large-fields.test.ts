import { Schema, Schemas, type SourceRecord, Struct } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAt } from '../testing/test-record.ts'
import { LargeFields } from './large-fields.ts'

const json = Schema.of('string', { optional: true, name: 'io.debezium.data.Json' })
const row = Schema.struct(
  [
    ['id', Schemas.string],
    ['title', Schemas.optionalString],
    ['body', Schemas.optionalString],
    ['image', Schema.of('bytes', { optional: true })],
    ['price', Schema.of('bytes', { optional: true, name: 'org.apache.kafka.connect.data.Decimal' })],
    ['doc', json],
  ],
  { name: 's.shop.pages.Value', optional: true },
)
const source = Schema.struct([['query', Schemas.optionalString]], { name: 'source' })
const envelope = Schema.struct(
  [
    ['before', row],
    ['after', row],
    ['source', source],
    ['op', Schemas.string],
  ],
  { name: 's.shop.pages.Envelope' },
)
const keySchema = Schema.struct([['id', Schemas.string]], { name: 's.shop.pages.Key' })

const long = (letter: string, length: number): string => letter.repeat(length)

function page(body: string, changes: { readonly doc?: string; readonly image?: Buffer } = {}): Struct {
  const { doc = null, image = null } = changes
  return new Struct(row, [long('k', 5_000), 'a title', body, image, Buffer.alloc(4_000), doc])
}

function record(before: Struct | null, after: Struct | null): SourceRecord {
  const value = new Struct(envelope, [before, after, new Struct(source, [long('q', 9_000)]), 'u'])
  return recordAt(1, { keySchema, key: new Struct(keySchema, [long('k', 5_000)]), valueSchema: envelope, value })
}

function read({ value }: SourceRecord, path: string): unknown {
  return path.split('.').reduce<unknown>((found, name) => (found instanceof Struct ? found.get(name) : null), value)
}

function headers({ headers: all }: SourceRecord): unknown {
  return all.map(({ key, schema, value }) => [key, schema, value])
}

test('the largest fields have the placeholder, until the others are small enough; a header names them', () => {
  const original = record(page(long('b', 50_000)), page(long('a', 60_000)))
  const smaller = new LargeFields({}).shrink(original, 0.5)
  assert.ok(smaller)
  assert.equal(read(smaller, 'after.body'), '__debezium_unavailable_value')
  assert.equal(read(smaller, 'before.body'), long('b', 50_000))
  assert.deepEqual(headers(smaller), [['__tributary.replaced.fields', Schemas.string, 'after.body']])

  const smallest = new LargeFields({}).shrink(smaller, 0.5)
  assert.ok(smallest)
  assert.equal(read(smallest, 'before.body'), '__debezium_unavailable_value')
  assert.deepEqual(headers(smallest), [['__tributary.replaced.fields', Schemas.string, 'after.body,before.body']])
  assert.equal(smallest.valueSchema, envelope)
  assert.equal(smallest.key, original.key)
  // The original is unchanged.
  assert.equal(read(original, 'after.body'), long('a', 60_000))
})

test('bytes get the bytes of the placeholder, JSON a document; its text is that of the connector', () => {
  const after = page(long('a', 100), { doc: JSON.stringify(long('d', 40_000)), image: Buffer.alloc(50_000) })
  const smaller = new LargeFields({ 'unavailable.value.placeholder': 'hex:6e6f6e65' }).shrink(
    record(null, after),
    0.001,
  )
  assert.ok(smaller)
  assert.deepEqual(read(smaller, 'after.image'), Buffer.from('none'))
  assert.equal(read(smaller, 'after.doc'), '{"none":"none"}')
  assert.equal(read(smaller, 'after.body'), 'none')
})

test('the key, its fields in the value, the source, decimals, and values that are smaller than the placeholder remain', () => {
  const fields = new LargeFields({})
  const smallest = fields.shrink(record(page('short'), page('short')), 0)
  assert.equal(smallest, null)
  assert.equal(fields.shrink(recordAt(1), 0), null)
})

test('a row that is the value itself is made smaller, too', () => {
  const smaller = new LargeFields({}).shrink(
    recordAt(1, { valueSchema: row, value: page(long('a', 60_000)), keySchema, key: new Struct(keySchema, ['k']) }),
    0.5,
  )
  assert.ok(smaller)
  assert.equal(read(smaller, 'body'), '__debezium_unavailable_value')
  assert.equal(read(smaller, 'id'), long('k', 5_000))
})

test('a column that equals a key without a name remains, and so does everything of a schema change', () => {
  const fields = new LargeFields({})
  const original = { ...record(null, page(long('a', 3_000))), keySchema: Schemas.string, key: long('k', 5_000) }
  const smallest = fields.shrink(original, 0)
  assert.ok(smallest)
  assert.deepEqual(headers(smallest), [['__tributary.replaced.fields', Schemas.string, 'after.body']])
  const schema = Schema.struct([['ddl', Schemas.optionalString]], {
    name: 'io.debezium.connector.mysql.SchemaChangeValue',
  })
  const change = recordAt(1, { valueSchema: schema, value: new Struct(schema, [long('d', 60_000)]) })
  assert.equal(fields.shrink(change, 0.5), null)
})
