import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyTableChange } from './table-change.ts'
import { TableId } from './table-id.ts'
import type { Table } from './table.ts'
import { Tables } from './tables.ts'

function table(database: string, name: string): Table {
  return {
    id: TableId.of(database, name),
    columns: [],
    primaryKeyColumnNames: [],
    defaultCharsetName: null,
    comment: null,
    attributes: [],
  }
}

function names(tables: Tables): string[] {
  return [...tables].map(({ id }) => id.toString()).toSorted()
}

test('a renamed table keeps its definition and replaces a table with the new id', () => {
  const tables = new Tables(false, [table('a', 'x'), table('a', 'y')])

  const renamed = tables.rename(TableId.of('a', 'x'), TableId.of('b', 'y'))

  assert.deepEqual(renamed, table('b', 'y'))
  assert.deepEqual(names(tables), ['a.y', 'b.y'])
  assert.equal(tables.rename(TableId.of('a', 'x'), TableId.of('a', 'z')), undefined)
})

test('a copy is independent', () => {
  const tables = new Tables(false, [table('a', 'x')])
  const copy = tables.copy()

  tables.remove(TableId.of('a', 'x'))
  copy.overwrite(table('a', 'y'))

  assert.deepEqual(names(tables), [])
  assert.deepEqual(names(copy), ['a.x', 'a.y'])
})

test('removing a database removes its tables only', () => {
  const tables = new Tables(false, [table('a', 'x'), table('A', 'x'), table('b', 'x')])

  tables.removeDatabase('a')

  assert.deepEqual(names(tables), ['A.x', 'b.x'])
})

test('a case-insensitive database finds a table by any spelling, and the table keeps its own', () => {
  const tables = new Tables(true, [table('Shop', 'Orders')])

  assert.equal(tables.get(TableId.of('shop', 'ORDERS'))?.id.toString(), 'Shop.Orders')
  tables.overwrite(table('SHOP', 'orders'))
  assert.deepEqual(names(tables), ['SHOP.orders'])
  tables.removeDatabase('shop')
  assert.equal(tables.size, 0)
})

test('applyTableChange applies each type of change', () => {
  const tables = new Tables(false, [table('a', 'old'), table('a', 'gone')])
  const id = TableId.of('a', 'new')

  applyTableChange({ type: 'ALTER', id, previousId: TableId.of('a', 'old'), table: table('a', 'new') }, tables)
  applyTableChange({ type: 'DROP', id: TableId.of('a', 'gone'), previousId: null, table: null }, tables)

  assert.deepEqual(names(tables), ['a.new'])
})

test('every change is counted, whichever method makes it', () => {
  const tables = new Tables(false, [table('a', 'x'), table('b', 'y')])
  const changes: readonly (() => unknown)[] = [
    () => tables.overwrite(table('a', 'x')),
    () => tables.rename(TableId.of('a', 'x'), TableId.of('a', 'z')),
    () => tables.remove(TableId.of('a', 'z')),
    () => tables.removeDatabase('b'),
    () => tables.clear(),
  ]
  for (const change of changes) {
    const before = tables.changes
    change()
    assert.ok(tables.changes > before, String(change))
  }
  const before = tables.changes
  tables.get(TableId.of('a', 'x'))
  assert.equal(tables.changes, before)
})
