import { TableId } from '@tributary/connector-kit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordedTable } from '../schema/mysql-table.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { mayHaveVersions } from './row-versions.ts'

const tableOf = (columns: string, flavor: 'mysql' | 'mariadb'): boolean => {
  const table = shopInterpreter().derive(TableId.of('shop', 't'), `CREATE TABLE t (${columns})`)
  assert.ok(table !== null)
  assert.ok(!mayHaveVersions(table), 'a definition tells')
  return mayHaveVersions(recordedTable(table, flavor))
}

test('a table of a history record may have versions if it has two columns for their start and end', () => {
  const period = 's TIMESTAMP(6) NOT NULL, e TIMESTAMP(6) NOT NULL'
  assert.equal(tableOf(`id INT, ${period}`, 'mariadb'), true)
  assert.equal(tableOf(`id INT, ${period}`, 'mysql'), false)
  assert.equal(tableOf('s TIMESTAMP(6) NOT NULL, e TIMESTAMP(3) NOT NULL', 'mariadb'), false)
  assert.equal(tableOf('s TIMESTAMP(6) NOT NULL, e TIMESTAMP(6) NULL', 'mariadb'), false)
  assert.equal(tableOf('s TIMESTAMP(6) NOT NULL', 'mariadb'), false)
})
