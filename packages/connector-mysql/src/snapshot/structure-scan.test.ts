import { RegexList } from '@tributary/connector-kit'
import type { BinlogEvent, TableMap } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableFilter } from '../config/table-filter.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { StructureScan } from './structure-scan.ts'

const NONE = new RegexList('')

/**
 * The findings of a scan that meets rows of `shop.t` before each of the statements. `now`: the current CREATE TABLE
 * of `shop.t`; null when the table does not exist.
 */
function findings(now: string | null, ...statements: readonly string[]): readonly string[] {
  const interpreter = shopInterpreter()
  if (now !== null) assert.equal(interpreter.interpret(now, { database: 'shop' }).error, null)
  const filter = new TableFilter({
    databaseInclude: NONE,
    databaseExclude: NONE,
    tableInclude: NONE,
    tableExclude: NONE,
  })
  const scan = new StructureScan({ filter, interpreter })
  const table = { database: 'shop', table: 't', columns: [], tail: Buffer.alloc(0) } satisfies TableMap
  for (const [i, sql] of statements.entries()) {
    scan.observe({ tag: 'rows', table } as unknown as BinlogEvent, 'binlog.000001:4')
    scan.observe({ tag: 'query', threadId: 1, database: 'shop', sql, sqlMode: null }, `binlog.000001:${i + 4}00`)
  }
  return scan.findings
}

// The current structure is the result of each statement, so applying it again changes nothing.
const DANGEROUS: readonly (readonly [now: string | null, statement: string])[] = [
  ['CREATE TABLE t (b INT, a INT)', 'ALTER TABLE t MODIFY a INT AFTER b'],
  ['CREATE TABLE t (a TEXT) CHARSET utf8mb4', 'ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4'],
  ['CREATE TABLE t (n INT UNSIGNED)', 'ALTER TABLE t MODIFY n INT UNSIGNED'],
  ["CREATE TABLE t (e ENUM('b','a'))", "ALTER TABLE t MODIFY e ENUM('b','a')"],
  ['CREATE TABLE t (b INT)', 'ALTER TABLE t RENAME COLUMN a TO b'],
  ['CREATE TABLE u (a INT)', 'RENAME TABLE t TO u'],
  [null, 'DROP TABLE t'],
  [null, 'DROP TABLE IF EXISTS t'],
  [null, 'DROP DATABASE shop'],
]

for (const [now, statement] of DANGEROUS) {
  test(`rows before '${statement}' were written under another structure`, () => {
    assert.deepEqual(findings(now, statement), [`shop.t by '${statement}' at binlog.000001:400`])
  })
}

for (const statement of [
  'ALTER TABLE t ADD KEY (a), COMMENT = "x"',
  'CREATE INDEX i ON t (a)',
  'ALTER TABLE t ENGINE = InnoDB',
  'ALTER TABLE other DROP COLUMN a',
  'DROP TABLE other',
  'TRUNCATE TABLE t',
  'CREATE TABLE IF NOT EXISTS t (a INT)',
  'DROP DATABASE other',
]) {
  test(`rows before '${statement}' are read by the current structure`, () => {
    assert.deepEqual(findings('CREATE TABLE t (a INT, b INT)', statement), [])
  })
}

test('rows before each of two statements are found twice, under one table map', () => {
  const statement = 'ALTER TABLE t MODIFY a INT'
  const found = ['400', '500'].map((position) => `shop.t by '${statement}' at binlog.000001:${position}`)
  assert.deepEqual(findings('CREATE TABLE t (a INT)', statement, statement), found)
})
