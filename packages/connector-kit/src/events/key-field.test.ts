import { Schema, Schemas, Struct, type SourceRecord } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '../relational/table-id.ts'
import { buildTableSchema, type TableSchema } from '../schema/table-schema.ts'
import { DataChangeRecords, type EventOrigin } from './data-change-records.ts'
import { DecodedRow } from './row-image.ts'

const offset = { toDocument: () => ({}) }
const sourceSchema = Schema.struct([['file', Schemas.string]], { name: 'Source' })

/** A shard `id, name` of the topic `t_all`; `hasKey`: with the primary key `id`. */
function shard(hasKey: boolean): TableSchema {
  const columns = [
    { name: 'id', schema: Schemas.int32, rowIndex: 0, mask: null },
    { name: 'name', schema: Schemas.string, rowIndex: 1, mask: null },
  ]
  return buildTableSchema({
    id: TableId.of('shop', 't_1'),
    topic: 't_all',
    rowWidth: 2,
    columns,
    keyColumns: hasKey ? columns.slice(0, 1) : [],
    keyField: { name: 'shard', value: 'p.shop.t_1' },
    envelope: { version: 1, sourceSchema, transactionSchema: null },
  })
}

function recordsOf(table: TableSchema, make: (records: DataChangeRecords, origin: EventOrigin) => void) {
  const records = new DataChangeRecords({
    partition: { server: 'p' },
    hasTransaction: false,
    skips: { operations: new Set<string>(), unchangedRows: false },
    tombstonesOnDelete: true,
    headers: [],
  })
  make(records, { table, source: new Struct(sourceSchema, ['f']), offsetBefore: offset, offset })
}

function textOf(value: unknown): string {
  if (!(value instanceof Struct)) return String(value)
  return value.schema.fields.map(({ name, index }) => `${name}=${textOf(value.at(index))}`).join()
}

// Expected as in the recording 22_smt_topics~regex-naming of the reference.

test('a key field follows the columns of the key in keys and in headers with keys', () => {
  const table = shard(true)
  const out: SourceRecord[] = []
  recordsOf(table, (records, origin) =>
    records.update(origin, new DecodedRow(table, [2, 'a']), new DecodedRow(table, [20, 'a']), out),
  )
  assert.deepEqual(
    out.map(({ key, headers }) => [textOf(key), ...headers.map((each) => `${each.key} ${textOf(each.value)}`)]),
    [
      ['id=2,shard=p.shop.t_1', '__debezium.newkey id=20,shard=p.shop.t_1'],
      ['id=2,shard=p.shop.t_1', '__debezium.newkey id=20,shard=p.shop.t_1'],
      ['id=20,shard=p.shop.t_1', '__debezium.oldkey id=2,shard=p.shop.t_1'],
    ],
  )
  for (const { keySchema, key } of out) assert.equal(key instanceof Struct && key.schema, keySchema)
  assert.equal(table.keySchema?.name, 't_all.Key')
})

test('a table without key columns has the key field alone, and its deletes have tombstones', () => {
  const table = shard(false)
  const out: SourceRecord[] = []
  recordsOf(table, (records, origin) => records.delete(origin, new DecodedRow(table, [2, 'a']), out))
  assert.deepEqual(
    out.map(({ key, value }) => [textOf(key), value === null]),
    [
      ['shard=p.shop.t_1', false],
      ['shard=p.shop.t_1', true],
    ],
  )
})
