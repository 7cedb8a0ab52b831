import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includeLists } from '../../packages/ui/src/config/include-lists.ts'

function listsOf(databases: readonly string[], tables: Readonly<Record<string, readonly string[]>>): unknown {
  const names = new Map(Object.entries(tables).map(([database, each]) => [database, new Set(each)]))
  return includeLists({ databases: new Set(databases), tables: names })
}

test('a whole database is named, so that tables that are created later are captured too', () => {
  assert.deepEqual(listsOf(['shop'], {}), { 'database.include.list': 'shop', 'table.include.list': null })
})

test('single tables are named with their database, in any order of choosing', () => {
  assert.deepEqual(listsOf([], { shop: ['orders', 'customers'], crm: ['people'], none: [] }), {
    'database.include.list': 'crm,shop',
    'table.include.list': 'crm.people,shop.customers,shop.orders',
  })
})

test('beside single tables, a whole database is a pattern that matches no longer name', () => {
  const lists = listsOf(['shop'], { shopping: ['lists'] }) as Record<string, string>
  assert.equal(lists['table.include.list'], 'shop\\..*,shopping.lists')
  const [whole = ''] = (lists['table.include.list'] ?? '').split(',')
  assert.deepEqual(
    ['shop.orders', 'shopping.orders'].map((name) => new RegExp(`^(?:${whole})$`).test(name)),
    [true, false],
  )
})

test('signs of patterns in names match themselves', () => {
  const name = 'a.b$c(d)[e]*'
  const lists = listsOf([], { [name]: ['x,y'] }) as Record<string, string>
  const pattern = new RegExp(`^(?:${lists['table.include.list']})$`)
  assert.deepEqual([pattern.test(`${name}.x,y`), pattern.test('aXb$c(d)[e]*.x,y')], [true, false])
})
