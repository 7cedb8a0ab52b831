import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  areSameLists,
  capturesAll,
  chosenAmong,
  includeLists,
  isNothing,
} from '../../packages/ui/src/config/include-lists.ts'

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

test('without a list that says otherwise, every database is captured', () => {
  const name = 'a'
  assert.equal(capturesAll({ name, 'database.include.list': '' }), true)
  for (const list of ['database.include.list', 'table.include.list', 'database.exclude.list', 'table.exclude.list']) {
    assert.equal(capturesAll({ name, [list]: 'x' }), false, list)
  }
})

test('a database whose last table was given up is nothing', () => {
  assert.equal(isNothing({ databases: new Set(), tables: new Map([['shop', new Set<string>()]]) }), true)
  assert.equal(isNothing({ databases: new Set(['shop']), tables: new Map() }), false)
})

test('what a new list lacks is chosen no longer', () => {
  const chosen = {
    databases: new Set(['shop', 'gone']),
    tables: new Map([
      ['crm', new Set(['people', 'gone'])],
      ['old', new Set(['t'])],
    ]),
  }
  const listed = [
    { database: 'shop', table: 'a', rows: 1, bytes: 1 },
    { database: 'crm', table: 'people', rows: 1, bytes: 1 },
    { database: 'crm', table: 'others', rows: 1, bytes: 1 },
  ]
  assert.deepEqual(chosenAmong(chosen, listed), {
    databases: new Set(['shop']),
    tables: new Map([['crm', new Set(['people'])]]),
  })
})

test('a list that is not set is the same as an empty one', () => {
  const lists = (database: string | null): Parameters<typeof areSameLists>[0] => ({
    'database.include.list': database,
    'table.include.list': null,
  })
  assert.deepEqual([areSameLists(lists(null), lists('')), areSameLists(lists(''), lists('shop'))], [true, false])
})
