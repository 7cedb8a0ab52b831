import type { BinlogEvent } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { BegunTransaction } from './begun-transaction.ts'

// The events are those of `mysqlbinlog`, of a dump that starts with the transaction.

const GTID: BinlogEvent = {
  tag: 'gtid',
  source: '3e11fa47-71ca-11e1-9e33-c80aa9429562',
  number: 5,
  originalCommitMicros: 1,
}
const ANONYMOUS: BinlogEvent = { tag: 'anonymousGtid', originalCommitMicros: 1 }
const DOMAIN_GTID: BinlogEvent = {
  tag: 'mariadbGtid',
  gtid: { domain: 0, server: 1, sequence: 5n },
  isStandalone: false,
  isXa: false,
  alterPhase: null,
}
const XID: BinlogEvent = { tag: 'xid' }
const PREPARED: BinlogEvent = { tag: 'xaPrepare', xid: "X'61',X'',1", isOnePhase: false }
const ANNOTATION: BinlogEvent = { tag: 'statement', sql: 'INSERT INTO t VALUES (1)' }
const TABLE_MAP: BinlogEvent = {
  tag: 'tableMap',
  table: { database: 'shop', table: 't', columns: [{ type: 3, meta: 0 }], tail: Buffer.alloc(0) },
  bodyBytes: 30,
}
const CREATE = 'CREATE TABLE `t` (`id` int(11) NOT NULL)'
const REPLACE = 'CREATE OR REPLACE TABLE `t` (`b` int(11) DEFAULT NULL)'

function query(sql: string): BinlogEvent {
  return { tag: 'query', threadId: 1, database: 'shop', sql, sqlMode: null }
}

/** What is known after the events, of which a scan reads none after the end of the transaction. */
function observed(events: readonly BinlogEvent[]): { readonly statement: string | null; readonly read: number } {
  const transaction = new BegunTransaction(shopInterpreter())
  let read = 0
  for (const event of events) {
    transaction.observe(event)
    read += 1
    if (transaction.isOver) break
  }
  return { statement: transaction.statement, read }
}

for (const [of, events, statement] of [
  ['MariaDB: CREATE OR REPLACE … SELECT', [DOMAIN_GTID, query(REPLACE), ANNOTATION, TABLE_MAP, XID], REPLACE],
  [
    'MySQL with GTIDs: CREATE … SELECT',
    [GTID, query('BEGIN'), query(`${CREATE} START TRANSACTION`), TABLE_MAP, XID],
    `${CREATE} START TRANSACTION`,
  ],
  [
    'MySQL without GTIDs, of a table that cannot be rolled back',
    [ANONYMOUS, query('BEGIN'), query(CREATE), TABLE_MAP, query('COMMIT')],
    CREATE,
  ],
  [
    'a statement after a savepoint, of which a part was rolled back',
    [GTID, query('BEGIN'), query('SAVEPOINT `s`'), TABLE_MAP, query('ROLLBACK TO `s`'), query(CREATE), XID],
    CREATE,
  ],
  ['the first of two statements', [DOMAIN_GTID, query(REPLACE), query('DROP TABLE `u`'), XID], REPLACE],
  [
    'a statement that is not understood',
    [DOMAIN_GTID, query('ALTER TABLE `t` ADD ((('), XID],
    'ALTER TABLE `t` ADD (((',
  ],
] as const) {
  test(`finds the statement about tables: ${of}`, () => {
    assert.deepEqual(observed([...events, GTID, query('DROP TABLE `later`')]), { statement, read: events.length })
  })
}

for (const [of, events] of [
  ['rows', [GTID, query('BEGIN'), ANNOTATION, TABLE_MAP, XID]],
  ['rows in statement format', [ANONYMOUS, query('BEGIN'), query('INSERT INTO t VALUES (1)'), query('COMMIT')]],
  ['rows that were rolled back', [DOMAIN_GTID, TABLE_MAP, query('ROLLBACK')]],
  [
    'a prepared transaction',
    [DOMAIN_GTID, query("XA START X'61',X'',1"), TABLE_MAP, query("XA END X'61',X'',1"), PREPARED],
  ],
  ['a temporary table', [GTID, query('BEGIN'), query('CREATE TEMPORARY TABLE `t` (`a` int)'), XID]],
] as const) {
  test(`finds none, and reads only the transaction: ${of}`, () => {
    assert.deepEqual(observed([...events, GTID, query('DROP TABLE `later`')]), { statement: null, read: events.length })
  })
}

for (const next of [GTID, DOMAIN_GTID, ANONYMOUS]) {
  test(`a statement without transaction ends with the next one: ${next.tag}`, () => {
    assert.deepEqual(observed([next, query(CREATE), next, query('DROP TABLE `later`')]), { statement: CREATE, read: 3 })
  })
}
