import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDdl } from './parse-statement.ts'
import { transactionControl } from './transaction-control.ts'

const cases: readonly (readonly [sql: string, expected: string | null])[] = [
  ['BEGIN', 'begin'],
  ['begin', 'begin'],
  ['BEGIN WORK', 'begin'],
  ['  BEGIN;', 'begin'],
  ['/* from the proxy */ BEGIN', 'begin'],
  ['START TRANSACTION', 'begin'],
  ['start  transaction read only', 'begin'],
  ["XA START X'01',X'',1", 'begin of XA'],
  ["xa begin 'x'", 'begin of XA'],
  ['COMMIT', 'end by COMMIT'],
  ['COMMIT AND CHAIN', 'end by COMMIT'],
  ['-- done\nCOMMIT', 'end by COMMIT'],
  ['ROLLBACK', 'end by ROLLBACK'],
  ['ROLLBACK WORK', 'end by ROLLBACK'],
  ["XA PREPARE X'01',X'',1", 'end by XA PREPARE'],
  ["XA COMMIT X'01',X'',1", 'end by XA COMMIT'],
  ["XA ROLLBACK X'01',X'',1", 'end by XA ROLLBACK'],
  ['SAVEPOINT `s`', 'inside: SAVEPOINT'],
  ['RELEASE SAVEPOINT s', 'inside: RELEASE SAVEPOINT'],
  ['ROLLBACK TO s', 'inside: ROLLBACK TO SAVEPOINT'],
  ['ROLLBACK WORK TO SAVEPOINT s', 'inside: ROLLBACK TO SAVEPOINT'],
  ["XA END X'01',X'',1", 'inside: XA END'],
  // A compound statement of MariaDB.
  ['BEGIN NOT ATOMIC SELECT 1; END', null],
  ['XA RECOVER', null],
  ['START SLAVE', null],
  ['RELEASE_LOCK', null],
  ['BEGINNING', null],
  ['`BEGIN`', null],
  ['/* COMMIT */ DROP TABLE t', null],
  ['# Dummy event replacing event type 160 that slave cannot handle.', null],
  ['CREATE TABLE t (id INT)', null],
  ['INSERT INTO t VALUES (1)', null],
  ['', null],
]

function describe(sql: string): string | null {
  const control = transactionControl(sql)
  if (control === null) return null
  if (control.tag === 'begin') return control.isXa ? 'begin of XA' : 'begin'
  return control.tag === 'end' ? `end by ${control.by}` : `inside: ${control.act}`
}

test('recognises what a statement does to its transaction', () => {
  for (const [sql, expected] of cases) assert.equal(describe(sql), expected, sql)
})

test('parseDdl recognises the same statements', () => {
  for (const [sql] of cases) {
    for (const flavor of ['mysql', 'mariadb'] as const) {
      const statement = parseDdl(sql, { flavor, serverVersion: 90_704, ansiQuotes: false })
      const control = statement.tag === 'transaction' ? statement.control : null
      assert.deepEqual(control, transactionControl(sql), `${flavor}: ${sql}`)
    }
  }
})
