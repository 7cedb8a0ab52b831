import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureLogger, type CaptureLogger } from '@tributary/testkit'
import { IncrementalProgress } from '../offset/incremental-progress.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { SignalActions } from './signal-actions.ts'

/** Returns what a signal has logged. */
function logOf(type: string, data: string): CaptureLogger {
  const logger = captureLogger()
  const position = StreamPosition.parse({ file: 'binlog.000001', pos: 4 })
  assert.ok(position !== null)
  const progress = IncrementalProgress.none.withSignalOffset(7n)
  const snapshot = { progress, position: position.withIncremental(progress), change: () => undefined }
  const interpreter = shopInterpreter()
  for (const name of ['a', 'b'])
    interpreter.interpret(`CREATE TABLE ${name} (id INT PRIMARY KEY)`, { database: 'shop' })
  const { tables } = interpreter
  const actions = new SignalActions({ snapshot, tables, isCaptured: () => true, signalTable: null, logger })
  actions.run({ id: 's', type, data, channel: 'source' })
  return logger
}

test('a log signal prints the offset, also with an offset of the signal topic', () => {
  const [line] = logOf('log', '{"message":"at {}"}').matching(/^at /)
  const offset = JSON.parse(line?.message.slice(3) ?? '') as Readonly<Record<string, unknown>>
  assert.deepEqual([offset['pos'], offset['incremental_snapshot_signal_offset']], [4, 7])
})

test('a signal has no effect, and never an error, whatever its data is', () => {
  const deep = `${'['.repeat(8_000)}${']'.repeat(8_000)}`
  for (const data of [
    `{"data-collections":["x"],"type":${deep}}`,
    `{"data-collections":${deep}}`,
    deep,
    `{"data-collections":["${'x'.repeat(1_000_000)}"]}`,
    `{"data-collections":["${'('.repeat(20_000)}${')'.repeat(20_000)}"]}`,
  ]) {
    assert.equal(logOf('execute-snapshot', data).matching(/It has no effect$/).length, 1, data.slice(0, 60))
  }
})

test('a statement of a blocking snapshot that would select the rows of several tables is refused', () => {
  const data = (conditions: readonly string[], type: string): string =>
    JSON.stringify({
      'data-collections': ['shop.a', 'shop.b'],
      type,
      'additional-conditions': conditions.map((each) => ({ 'data-collection': each, filter: 'SELECT * FROM shop.a' })),
    })
  const accepted = /^(Blocking|Incremental) snapshot of shop\.a, shop\.b was requested/
  for (const conditions of [['shop.a', 'shop.b'], ['shop.[ab]']]) {
    const logger = logOf('execute-snapshot', data(conditions, 'blocking'))
    assert.equal(logger.matching(/has one statement for shop\.a and shop\.b; .*It has no effect$/).length, 1)
    assert.equal(logger.matching(accepted).length, 0)
  }
  assert.equal(logOf('execute-snapshot', data(['shop.a'], 'blocking')).matching(accepted).length, 1)
  // A condition, which is right for each table.
  assert.equal(logOf('execute-snapshot', data(['shop.[ab]'], 'incremental')).matching(accepted).length, 1)
})

/** A column as Debezium's schema history has it. */
function column(name: string, typeName: string, jdbcType: number, position = 1): object {
  const optional = position > 1
  return { name, jdbcType, typeName, typeExpression: typeName, charsetName: null, position, optional, generated: false }
}

function schemaChanges(...columns: readonly object[]): string {
  const table = { defaultCharsetName: null, primaryKeyColumnNames: ['id'], columns }
  return JSON.stringify({ database: 'shop', changes: [{ type: 'ALTER', id: '"shop"."a"', table }] })
}

test('a signal schema-changes is accepted if its definitions are those that are known', () => {
  const logger = logOf('schema-changes', schemaChanges(column('id', 'INT', 4)))
  assert.equal(logger.matching(/has the definitions to which the binlog leads; nothing changes: shop\.a$/).length, 1)
  assert.equal(logger.matching(/It has no effect$/).length, 0)
})

for (const [what, data, reason] of [
  ['has another column name', schemaChanges(column('no', 'INT', 4)), /column 1 is no INT.* instead of id INT/],
  ['has another type', schemaChanges(column('id', 'BIGINT', -5)), /column 1 is id BIGINT.* instead of id INT/],
  [
    'has another column',
    schemaChanges(column('id', 'INT', 4), column('v', 'INT', 4, 2)),
    /it has 2 columns instead of 1/,
  ],
  ['drops a table', '{"database":"shop","changes":[{"type":"DROP","id":"\\"shop\\".\\"a\\""}]}', /would drop shop\.a/],
  [
    'has a table that is not known',
    schemaChanges(column('id', 'INT', 4)).replace('\\"a\\"', '\\"z\\"'),
    /of shop\.z, of which none is known/,
  ],
  ['has no list of changes', '{"database":"shop","changes":{}}', /not a list of table changes/],
  ['has no database', '{"changes":[]}', /has no database/],
] as const) {
  test(`a signal schema-changes that ${what} is refused with the reason`, () => {
    const [line] = logOf('schema-changes', data).matching(/It has no effect$/)
    assert.match(line?.message ?? '', reason)
  })
}
