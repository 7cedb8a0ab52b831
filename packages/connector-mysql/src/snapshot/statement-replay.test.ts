import type { BinlogEvent } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { StatementReplay } from './statement-replay.ts'

function query(sql: string): BinlogEvent {
  return { tag: 'query', threadId: 1, database: 'shop', sql, sqlMode: null }
}

test('a statement in a transaction is one that the server has printed, with texts that may lack characters', () => {
  const interpreter = shopInterpreter()
  const replay = new StatementReplay(interpreter, () => true)
  // MySQL 9.7 prints '?' for the character outside the BMP in CREATE TABLE … SELECT, which it logs in a transaction.
  const printed = "CREATE TABLE `t` (`e` enum('?') DEFAULT NULL) START TRANSACTION"
  for (const event of [query('BEGIN'), query(printed), query('COMMIT')]) replay.observe(event)
  replay.observe(query("CREATE TABLE u (e ENUM('?'))"))
  assert.deepEqual(
    [...interpreter.tables].map(({ id }) => id.table),
    ['u'],
  )
})
