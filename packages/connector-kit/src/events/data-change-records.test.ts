import { Schema, Schemas, Struct, type SourceOffset, type SourceRecord } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '../relational/table-id.ts'
import { buildTableSchema, type TableSchema } from '../schema/table-schema.ts'
import { DataChangeRecords, type EventOrigin } from './data-change-records.ts'
import { DecodedRow } from './row-image.ts'

const sourceSchema = Schema.struct([['file', Schemas.string]], { name: 'Source' })

/** A table `id, name`, with the key `id` unless other columns are given. */
function table(keyColumnNames: readonly string[] = ['id']): TableSchema {
  const columns = [
    { name: 'id', schema: Schemas.int32, rowIndex: 0, mask: null },
    { name: 'name', schema: Schemas.string, rowIndex: 1, mask: null },
  ]
  return buildTableSchema({
    id: TableId.of('inventory', 'customers'),
    topic: 'dbserver1.inventory.customers',
    rowWidth: 2,
    columns,
    keyColumns: keyColumnNames.flatMap((name) => columns.filter((column) => column.name === name)),
    envelope: { version: 1, sourceSchema, transactionSchema: null },
  })
}

function offsetAt(pos: number): SourceOffset {
  return { toDocument: () => ({ pos }) }
}

function origin(of: TableSchema = table()): EventOrigin {
  return {
    table: of,
    source: new Struct(sourceSchema, ['mysql-bin.000003']),
    offsetBefore: offsetAt(1),
    offset: offsetAt(2),
  }
}

function row(values: readonly [number, string], of: TableSchema = table()): DecodedRow {
  return new DecodedRow(of, values)
}

function records(changes: { readonly tombstonesOnDelete?: boolean } = {}): DataChangeRecords {
  const options = {
    partition: { server: 'dbserver1' },
    hasTransaction: false,
    skips: { operations: new Set<string>(), unchangedRows: false },
    tombstonesOnDelete: true,
    headers: [],
    ...changes,
  }
  const made = new DataChangeRecords(options)
  made.handledAt(1_700_000_000_123_000)
  return made
}

function structValues(value: unknown): unknown {
  if (!(value instanceof Struct)) return value
  return Object.fromEntries(value.schema.fields.map(({ name, index }) => [name, structValues(value.at(index))]))
}

/** The parts of a record that these tests compare: key, operation, images, headers, and the position in its offset. */
function summary({ key, value, headers, sourceOffset }: SourceRecord): unknown {
  const { op, before, after } = (structValues(value) ?? {}) as Readonly<Record<string, unknown>>
  return {
    key: structValues(key),
    event: value === null ? 'tombstone' : [op, before, after],
    headers: headers.map((header) => [header.key, structValues(header.value)]),
    pos: sourceOffset.toDocument()['pos'],
  }
}

const anne = [1, 'Anne'] as const
const anna = [1, 'Anna'] as const
const moved = [2, 'Anne'] as const
const image = { anne: { id: 1, name: 'Anne' }, anna: { id: 1, name: 'Anna' }, moved: { id: 2, name: 'Anne' } }
const headers: readonly unknown[] = []

test('a row yields one record with its key, its images and the position after it', () => {
  const out: SourceRecord[] = []
  const made = records()
  made.read(origin(), row(anne), out)
  made.create(origin(), row(anne), out)
  made.update(origin(), row(anne), row(anna), out)
  assert.deepEqual(out.map(summary), [
    { key: { id: 1 }, event: ['r', null, image.anne], headers, pos: 2 },
    { key: { id: 1 }, event: ['c', null, image.anne], headers, pos: 2 },
    { key: { id: 1 }, event: ['u', image.anne, image.anna], headers, pos: 2 },
  ])
})

test('the envelope has the time in three units, and the record has its schemas and topic', () => {
  const out: SourceRecord[] = []
  const from = origin()
  records().create(from, row(anne), out)
  const [record] = out
  assert.ok(record)
  const { ts_ms: millis, ts_us: micros, ts_ns: nanos, source } = structValues(record.value) as Record<string, unknown>
  assert.deepEqual(
    [millis, micros, nanos, source],
    [1_700_000_000_123, 1_700_000_000_123_000, 1_700_000_000_123_000_000n, { file: 'mysql-bin.000003' }],
  )
  assert.deepEqual(
    [record.topic, record.partition, record.timestamp, record.sourcePartition],
    ['dbserver1.inventory.customers', null, null, { server: 'dbserver1' }],
  )
  assert.deepEqual([record.keySchema, record.valueSchema], [from.table.keySchema, from.table.envelopeSchema])
})

test('a delete is followed by a tombstone; only the tombstone has the position after the row', () => {
  const out: SourceRecord[] = []
  records().delete(origin(), row(anne), out)
  assert.deepEqual(out.map(summary), [
    { key: { id: 1 }, event: ['d', image.anne, null], headers, pos: 1 },
    { key: { id: 1 }, event: 'tombstone', headers, pos: 2 },
  ])
  assert.deepEqual([out[1]?.value, out[1]?.valueSchema], [null, null])
})

test('without tombstones, or without a key, a delete is one record with the position after the row', () => {
  for (const [made, of] of [
    [records({ tombstonesOnDelete: false }), table()],
    [records(), table([])],
  ] as const) {
    const out: SourceRecord[] = []
    made.delete(origin(of), row(anne, of), out)
    assert.deepEqual(
      out.map(({ value, sourceOffset }) => [value === null, sourceOffset.toDocument()['pos']]),
      [[false, 2]],
    )
  }
})

test('a changed key yields delete, tombstone and create, each with the other key in a header; the last has the position', () => {
  const out: SourceRecord[] = []
  records().update(origin(), row(anne), row(moved), out)
  const newKey = [['__debezium.newkey', { id: 2 }]]
  assert.deepEqual(out.map(summary), [
    { key: { id: 1 }, event: ['d', image.anne, null], headers: newKey, pos: 1 },
    { key: { id: 1 }, event: 'tombstone', headers: newKey, pos: 1 },
    { key: { id: 2 }, event: ['c', null, image.moved], headers: [['__debezium.oldkey', { id: 1 }]], pos: 2 },
  ])

  out.length = 0
  records({ tombstonesOnDelete: false }).update(origin(), row(anne), row(moved), out)
  assert.deepEqual(
    out.map(({ sourceOffset, value }) => [sourceOffset.toDocument()['pos'], value === null]),
    [
      [1, false],
      [2, false],
    ],
  )
})

test('a table without a key yields records without one, and an update of it is always one record', () => {
  const out: SourceRecord[] = []
  const of = table([])
  records().update(origin(of), row(anne, of), row(moved, of), out)
  assert.deepEqual(out.map(summary), [{ key: null, event: ['u', image.anne, image.moved], headers, pos: 2 }])
  assert.equal(out[0]?.keySchema, null)
})

test('the columns of the key are in the order of the key', () => {
  const out: SourceRecord[] = []
  const of = table(['name', 'id'])
  records().create(origin(of), row(anne, of), out)
  const { key } = out[0] ?? {}
  assert.ok(key instanceof Struct)
  assert.deepEqual([key.at(0), key.at(1)], ['Anne', 1])
})
