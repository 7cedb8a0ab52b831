import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from './table-id.ts'

test('there is one id per table', () => {
  assert.equal(TableId.of('a', 'b'), TableId.of('a', 'b'))
  assert.notEqual(TableId.of('a.b', 'c'), TableId.of('a', 'b.c'))
  assert.notEqual(TableId.of('A', 'b'), TableId.of('a', 'b'))
})

/** Ids of recorded history records. */
const quoted: readonly (readonly [text: string, database: string, table: string])[] = [
  ['"inventory"."customers"', 'inventory', 'customers'],
  ['"g_ident"."com`ment"', 'g_ident', 'com`ment'],
  ['"g-quoted db"."my table"', 'g-quoted db', 'my table'],
  ['"g_ident"."tbl.with.dots"', 'g_ident', 'tbl.with.dots'],
]

for (const [text, database, table] of quoted) {
  test(`${text} is read and written`, () => {
    const id = TableId.parse(text)

    assert.equal(id, TableId.of(database, table))
    assert.equal(id.toQuotedString(), text)
    assert.equal(id.toString(), `${database}.${table}`)
  })
}

test('a double quote in a name is doubled', () => {
  const id = TableId.of('a"b', 'c')

  assert.equal(id.toQuotedString(), '"a""b"."c"')
  assert.equal(TableId.parse(id.toQuotedString()), id)
})

test('the forms of other connectors and of old releases are read', () => {
  assert.equal(TableId.parse('shop.orders'), TableId.of('shop', 'orders'))
  assert.equal(TableId.parse('"catalog"."shop"."orders"'), TableId.of('shop', 'orders'))
  assert.equal(TableId.parse('orders'), TableId.of('', 'orders'))
})
