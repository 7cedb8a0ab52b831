import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Schemas, type SourceRecord, Struct } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import { sqlPrinter } from './sql-printer.ts'

const SOURCE = Schema.struct([
  ['db', Schemas.string],
  ['table', Schemas.string],
  ['file', Schemas.string],
  ['pos', Schemas.int64],
])
const CELL = Schema.struct(
  [
    ['value', Schemas.optionalInt32],
    ['literal', Schemas.optionalString],
  ],
  { optional: true },
)
const ROW = Schema.struct([['id', CELL]], { optional: true })
const ENVELOPE = Schema.struct([
  ['before', ROW],
  ['after', ROW],
  ['source', SOURCE],
  ['op', Schemas.string],
])

/** A delete from a table without a key; `literal` null: the binlog does not have the only column. */
function deletion(before: Struct | null): SourceRecord {
  const source = new Struct(SOURCE, ['a', 't', 'binlog.000001', 4096])
  const value = new Struct(ENVELOPE, [before, null, source, 'd'])
  return { keySchema: null, key: null, valueSchema: ENVELOPE, value } as unknown as SourceRecord
}

test('a change whose row cannot be found is an error that names table and place, and no statement', () => {
  const print = sqlPrinter({ isGenerated: () => false })
  for (const before of [null, new Struct(ROW, [new Struct(CELL, [null, null])])]) {
    const out = new ByteWriter(Buffer.alloc(64))
    assert.throws(() => print(deletion(before), out), /of a\.t at binlog\.000001:4096: the binlog has neither the key/)
    assert.equal(out.position, 0)
  }
})
