import { TableId } from '@tributary/connector-kit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import type { DdlInterpreter } from './ddl-interpreter.ts'

const IN_SHOP = { database: 'shop' }

function columnsOf(interpreter: DdlInterpreter, table: string): string | undefined {
  return interpreter.tables
    .get(TableId.of('shop', table))
    ?.columns.map(({ name }) => name)
    .join()
}

/** Runs the statement, and rejects like a schema history that cannot be reached. */
async function failAfter(interpreter: DdlInterpreter, sql: string): Promise<void> {
  const running = interpreter.transact(() => {
    interpreter.interpret(sql, IN_SHOP)
    return Promise.reject(new Error('unreachable'))
  })
  await assert.rejects(running, { message: 'unreachable' })
}

test('after an error the model is as before, so a statement that is read again is applied once', async () => {
  const interpreter = shopInterpreter()
  interpreter.interpret('CREATE TABLE a (id INT, x INT, y INT)', IN_SHOP)
  interpreter.interpret('CREATE TABLE b (id INT)', IN_SHOP)
  const swap = 'RENAME TABLE a TO tmp, b TO a, tmp TO b'
  for (const sql of [
    'ALTER TABLE a RENAME COLUMN x TO y, RENAME COLUMN y TO x',
    swap,
    'ALTER TABLE a DROP COLUMN x',
    'DROP TABLE a, b',
    'DROP DATABASE shop',
    'CREATE TABLE c (id INT)',
  ]) {
    await failAfter(interpreter, sql)
    const { tables } = interpreter
    assert.deepEqual([columnsOf(interpreter, 'a'), columnsOf(interpreter, 'b'), tables.size], ['id,x,y', 'id', 2], sql)
  }

  await interpreter.transact(() => Promise.resolve(interpreter.interpret(swap, IN_SHOP)))
  assert.deepEqual([columnsOf(interpreter, 'a'), columnsOf(interpreter, 'b')], ['id', 'id,x,y'])
})

test('CREATE TABLE IF NOT EXISTS defines no table that exists, whether or not its definition is known', async () => {
  const interpreter = shopInterpreter()
  const create = 'CREATE TABLE IF NOT EXISTS t (b INT, a INT)'
  interpreter.interpret('CREATE TABLE t (a INT, b INT)', IN_SHOP)
  assert.deepEqual(interpreter.interpret(create, IN_SHOP).needsSchema, [])
  assert.equal(columnsOf(interpreter, 't'), 'a,b')

  interpreter.forget(TableId.of('shop', 't'))
  for (let time = 0; time < 2; time++) {
    const { needsSchema } = interpreter.interpret(create, IN_SHOP)
    assert.deepEqual(
      needsSchema.map(({ reason }) => reason),
      ['it existed already'],
    )
    assert.equal(columnsOf(interpreter, 't'), undefined)
  }

  interpreter.interpret('RENAME TABLE t TO other', IN_SHOP)
  interpreter.interpret(create, IN_SHOP)
  assert.equal(columnsOf(interpreter, 't'), 'b,a', 'the name was free again')
  await failAfter(interpreter, 'CREATE TABLE IF NOT EXISTS other (b INT, a INT)')
  assert.equal(interpreter.interpret('CREATE TABLE IF NOT EXISTS other (b INT)', IN_SHOP).needsSchema.length, 1)
})
