import { TableId } from '@tributary/connector-kit'
import { ColumnTypeCode, RowsEvent, type TableMap } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopInterpreter } from '../../testing/shop-interpreter.ts'
import { countRows } from './count-rows.ts'
import { PreparedCollector } from './prepared-collector.ts'

const T = TableId.of('shop', 't')
const PLACE = { file: 'binlog.000001', position: 4 }
const PROOF = { order: 0, tableId: 1, timestampSeconds: 0 }

/** A write of rows with one INT. */
function rowsOf(table: string, ...values: readonly number[]): RowsEvent {
  const columns = [{ type: ColumnTypeCode.long, meta: 0 }]
  const map = { database: 'shop', table, columns } as unknown as TableMap
  const rows = values.map((value) => Buffer.from([0, value, 0, 0, 0]))
  // One column, which is present.
  const bytes = Buffer.concat([Buffer.from([1, 0xff]), ...rows])
  return new RowsEvent(map, () => 'here').reset('write', map, { bytes, at: 0, end: bytes.length })
}

function collector(bytesMax = 1000): {
  readonly interpreter: ReturnType<typeof shopInterpreter>
  readonly subject: PreparedCollector
} {
  const interpreter = shopInterpreter()
  interpreter.interpret('CREATE TABLE t (id INT)', { database: 'shop' })
  const filter = { includesTable: (id: TableId) => id === T }
  return {
    interpreter,
    subject: new PreparedCollector({ includesQuery: false, filter, tables: interpreter.tables, from: PLACE, bytesMax }),
  }
}

test('rows of captured tables are kept, with the number of events before them', () => {
  const { subject } = collector()
  subject.addOther()
  subject.addRows(rowsOf('other', 1), PROOF)
  subject.addRows(rowsOf('t', 2, 3), PROOF)
  const { rows } = subject.finish(PLACE)
  assert.deepEqual(
    rows?.map(({ eventsBefore, event }) => [eventsBefore, countRows(event)]),
    [[3, 2]],
  )
})

test('kept rows are copies, and can be read more than once', () => {
  const { subject } = collector()
  const event = rowsOf('t', 7)
  subject.addRows(event, PROOF)
  event.bytes.fill(0xa5)
  const [kept] = subject.finish(PLACE).rows ?? []
  assert.ok(kept !== undefined)
  assert.equal(kept.event.bytes[3], 7)
  assert.deepEqual([countRows(kept.event), countRows(kept.event)], [1, 1])
})

test('a transaction that is too large is not kept', () => {
  const { subject } = collector(10)
  subject.addRows(rowsOf('t', 1), PROOF)
  subject.addRows(rowsOf('t', 2), PROOF)
  assert.equal(subject.finish(PLACE).rows, null)
  assert.equal(subject.bytes, 0)
})

test('a statement after XA PREPARE changes the table, and a table without rows counts as changed', () => {
  const { interpreter, subject } = collector()
  subject.addRows(rowsOf('t', 1), PROOF)
  const { hasChanged } = subject.finish(PLACE)
  assert.equal(hasChanged(T), false)
  assert.equal(hasChanged(TableId.of('shop', 'other')), true)
  interpreter.interpret('ALTER TABLE t ADD a INT', { database: 'shop' })
  assert.equal(hasChanged(T), true)
})
