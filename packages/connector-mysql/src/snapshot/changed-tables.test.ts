import { TableId } from '@tributary/connector-kit'
import type { BinlogEvent } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sameTableOn } from '../schema/statement-targets.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { ChangedTables } from './changed-tables.ts'

function changedBy(...statements: readonly string[]): ChangedTables {
  const changed = new ChangedTables(shopInterpreter(), sameTableOn({ lowerCaseTableNames: 0 }))
  for (const [i, sql] of statements.entries()) {
    const event = { tag: 'query', threadId: 1, database: 'shop', sql, sqlMode: null } as unknown as BinlogEvent
    changed.observe(event, `binlog.000001:${i + 1}00`)
  }
  return changed
}

const t = TableId.of('shop', 't')

for (const sql of [
  'ALTER TABLE t ADD COLUMN a INT',
  'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
  'CREATE TABLE t (a INT)',
  'CREATE OR REPLACE TABLE shop.t (a INT)',
  'DROP TABLE other2, t',
  'RENAME TABLE t TO u',
  'RENAME TABLE u TO t',
  'CREATE UNIQUE INDEX i ON t (a)',
  'DROP DATABASE shop',
  'ALTER TABLE `t` ADD COLUMN (((',
]) {
  test(`changes the table t: ${sql}`, () => {
    assert.equal(changedBy('CREATE TABLE x (a INT)', sql).whyChanged(t), `'${sql}' at binlog.000001:200`)
  })
}

for (const sql of [
  'BEGIN',
  'ALTER TABLE elsewhere.t ADD COLUMN a INT',
  'INSERT INTO t VALUES (1)',
  'TRUNCATE TABLE t',
  'CREATE TEMPORARY TABLE t (a INT)',
  'CREATE USER u',
  'ALTER DATABASE shop CHARSET latin1',
]) {
  test(`does not change the table t: ${sql}`, () => assert.equal(changedBy(sql).whyChanged(t), null))
}

test('statements about databases are noted', () => {
  assert.equal(changedBy('ALTER TABLE t ADD a INT').hasDatabaseStatements, false)
  for (const sql of ['ALTER DATABASE shop CHARSET latin1', '/* x */ create schema if not exists s'])
    assert.equal(changedBy(sql).hasDatabaseStatements, true, sql)
})

test('statements about other databases concern none of these, also when they are not understood', () => {
  const isShop = (name: string): boolean => name === 'shop'
  const isTable = (id: TableId): boolean => isShop(id.database)
  const why = (sql: string, database: string): string | null => {
    const changed = new ChangedTables(shopInterpreter(), sameTableOn({ lowerCaseTableNames: 0 }))
    changed.observe({ tag: 'query', threadId: 1, database, sql, sqlMode: null } as unknown as BinlogEvent, 'binlog.1:4')
    return changed.whyAnyChanged(isTable, isShop, ['shop'])
  }
  for (const sql of ['ALTER DATABASE CHARSET latin1', 'CREATE INDEX i FROBNICATED ON x (a)']) {
    assert.equal(why(sql, 'other'), null, sql)
    assert.ok(why(sql, 'shop')?.includes(sql), sql)
  }
  assert.ok(why('CREATE INDEX i FROBNICATED ON shop.x (a)', 'other') !== null)
  assert.ok(why('CREATE INDEX i FROBNICATED ON x (a)', '') !== null)
})
