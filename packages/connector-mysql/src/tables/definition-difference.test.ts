import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { definitionDifference, isMoreThanShown, withMembersOf } from './definition-difference.ts'

const BEFORE = `id INT PRIMARY KEY, a INT, b INT, e ENUM('x', 'y'), s VARCHAR(20) CHARACTER SET utf8mb4, u BINARY(16)`

/** After the statements. */
function tableOf(...changes: readonly string[]): MySqlTable {
  const interpreter = shopInterpreter()
  for (const sql of [`CREATE TABLE t (${BEFORE})`, ...changes.map((change) => `ALTER TABLE t ${change}`)])
    interpreter.interpret(sql, { database: 'shop' })
  const [table] = interpreter.tables
  assert.ok(table !== undefined)
  return table
}

// The wire forms: MySQL's "Binary Log Event" documentation of TABLE_MAP_EVENT, and maps captured from both servers.
for (const [change, tag] of [
  ["COMMENT 'x', ALTER a SET DEFAULT 5, ADD INDEX (a), MODIFY b INT COMMENT 'y'", 'same'],
  ["MODIFY e ENUM('x', 'y', 'z')", 'extended'],
  ['RENAME COLUMN a TO b, RENAME COLUMN b TO a', 'hidden'],
  ['RENAME COLUMN a TO c', 'hidden'],
  ['MODIFY a INT AFTER b', 'hidden'],
  ["MODIFY e ENUM('y', 'x')", 'hidden'],
  ["MODIFY e ENUM('x')", 'hidden'],
  ['MODIFY a INT UNSIGNED', 'hidden'],
  // 80 bytes at most, both of them.
  ['MODIFY s VARCHAR(80) CHARACTER SET latin1', 'hidden'],
  ['MODIFY s VARBINARY(80)', 'hidden'],
  ['DROP PRIMARY KEY, MODIFY b INT', 'hidden'],
  ['ADD COLUMN h INT', 'visible'],
  ['DROP COLUMN a', 'visible'],
  ['MODIFY a BIGINT', 'visible'],
  ['MODIFY a INT NOT NULL', 'visible'],
  ['MODIFY s VARCHAR(21)', 'visible'],
  ['MODIFY e INT', 'visible'],
] as const) {
  test(`a row does not show a change that is hidden: ${change}`, () => {
    assert.equal(definitionDifference(tableOf(), tableOf(change)).tag, tag)
  })
}

test('more than what maps show was changed when one statement of the kind that they show does not explain it', () => {
  const changes = [
    ['ADD COLUMN h INT FIRST', false],
    ['DROP COLUMN a', false],
    ['MODIFY a BIGINT', false],
    ['DROP PRIMARY KEY, ADD PRIMARY KEY (a)', false],
    ['RENAME COLUMN a TO b, RENAME COLUMN b TO a', true],
    ['MODIFY e INT FIRST, ADD COLUMN h INT', true],
    ['RENAME COLUMN a TO c, ADD COLUMN h INT', true],
    ['RENAME COLUMN a TO c, MODIFY b BIGINT', true],
    ['RENAME COLUMN a TO c, DROP COLUMN b', true],
    ['MODIFY a INT UNSIGNED, ADD COLUMN h INT', true],
    ["MODIFY e ENUM('x', 'y', 'z'), DROP COLUMN a", true],
    ['DROP PRIMARY KEY, ADD COLUMN h INT', true],
  ] as const
  for (const [change, expected] of changes)
    assert.equal(
      isMoreThanShown(tableOf(), tableOf(change), () => false),
      expected,
      change,
    )
  const isSign = ({ name }: { readonly name: string }): boolean => name === 'a'
  assert.equal(isMoreThanShown(tableOf(), tableOf('MODIFY a INT UNSIGNED, ADD COLUMN h INT'), isSign), false)
})

test('only members are taken over, and only when they follow the known ones', () => {
  const known = tableOf()
  const later = tableOf("MODIFY e ENUM('x', 'y', 'z') FIRST, ADD UNIQUE (a), DROP COLUMN s")
  const extended = withMembersOf(known, later)
  assert.deepEqual(
    extended?.columns.map(({ name, enumValues }) => [name, enumValues.join()]),
    known.columns.map(({ name }) => [name, name === 'e' ? "'x','y','z'" : '']),
  )
  assert.deepEqual(extended?.keys, known.keys)
  assert.equal(withMembersOf(known, tableOf('ADD COLUMN h INT')), known)
  assert.equal(withMembersOf(known, tableOf("MODIFY e ENUM('y', 'x', 'z')")), null)
  assert.equal(withMembersOf(known, tableOf('RENAME COLUMN e TO f')), null)
})
