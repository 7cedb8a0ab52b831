import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFormat } from './record-format.ts'
import type { SourceInfo } from './source-info.ts'

const info: SourceInfo = {
  timestampSeconds: 1_700_000_000,
  timestampMicros: 1_700_000_000_123_456,
  serverId: 7,
  gtid: 'f7c2e168-e599-11f1-bfcf-02fc00000001:8',
  file: 'binlog.000001',
  position: 4711,
  row: 0,
  snapshot: 'false',
  threadId: 12,
  database: 'shop',
  table: 'orders',
  query: 'INSERT …',
}

for (const name of ['v1', 'v2'] as const) {
  test(`${name}: the source block of another row of an event is that of its own origin`, () => {
    const format = recordFormat(name, {
      sourceSchemaName: 'Source',
      constants: { version: '1', connectorType: 'mysql', name: 'p' },
      hasTransactions: true,
      hasQueries: true,
    })
    const valuesOf = (row: number, from: number): unknown => {
      const first = format.source({ ...info, row: from })
      const source = row === from ? first : format.sourceOfRow(first, row)
      return source.schema.fields.map((field) => [field.name, source.get(field.name)])
    }
    for (const row of [0, 1, 9]) assert.deepEqual(valuesOf(row, 5), valuesOf(row, row))
    assert.notDeepEqual(valuesOf(1, 5), valuesOf(2, 5))
  })
}
