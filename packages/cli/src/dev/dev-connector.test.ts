import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDatabaseUrl } from '../source/database-url.ts'
import { nameConnectors } from './dev-connector.ts'

test('connectors are named after databases or hosts, without dots, once each, and never like internal topics', () => {
  const names = (urls: readonly string[], known: Parameters<typeof nameConnectors>[1] = []): readonly string[] =>
    nameConnectors(urls.map(parseDatabaseUrl), known).map(({ name }) => name)
  assert.deepEqual(names(['mysql://a@db/shop', 'mysql://a@db/shop.t', 'mysql://a@other/shop']), [
    'shop',
    'shop-2',
    'shop-3',
  ])
  assert.deepEqual(names(['mysql://a@db.example', 'mysql://a@db/my%2Eshop', 'mysql://a@db/connect-configs']), [
    'db_example',
    'my_shop',
    'connect-configs-2',
  ])
  // The same database with another login keeps its name, and no other gets it.
  const known = nameConnectors([parseDatabaseUrl('mysql://a:secret@db/shop')], [])
  assert.deepEqual(names(['mysql://b@other/shop', 'mysql://b@db/shop'], known), ['shop-2', 'shop'])
  assert.doesNotMatch(JSON.stringify(known), /secret/)
})
