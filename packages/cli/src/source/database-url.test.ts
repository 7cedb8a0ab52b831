import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDatabaseUrl, type DatabaseAddress } from './database-url.ts'

const ROOT = { host: 'db', port: 3306, user: 'root', password: null, database: null, table: null }

test('a URL names host, port, login, database and table; names may be encoded or in backquotes', () => {
  const table: readonly (readonly [url: string, expected: Partial<DatabaseAddress>])[] = [
    ['mysql://root@db', {}],
    ['mysql://root@db/', {}],
    ['MariaDB://root@db:3307/shop', { port: 3307, database: 'shop' }],
    ['mysql://root@db/shop.orders', { database: 'shop', table: 'orders' }],
    ['mysql://root@[::1]:3307/shop', { host: '::1', port: 3307, database: 'shop' }],
    ['mysql://ro%40ot:p%3Aa:%2F%40@db/s', { user: 'ro@ot', password: 'p:a:/@', database: 's' }],
    ['mysql://root:@db', { password: '' }],
    ['mysql://root@db/my%2Edb.t%2F1', { database: 'my.db', table: 't/1' }],
    ['mysql://root@db/`my.db`.`a``b`', { database: 'my.db', table: 'a`b' }],
    ['mysql://root@db/%60my.db%60.größe', { database: 'my.db', table: 'größe' }],
    ['mysql://db/x', { user: null, database: 'x' }],
  ]
  for (const [url, expected] of table) assert.deepEqual(parseDatabaseUrl(url), { ...ROOT, ...expected }, url)
})

test('a URL that is not one is refused, and the error does not repeat its password', () => {
  const urls = [
    'postgres://root:se@cret@db',
    'root:se@cret@db',
    'mysql://root:se@cret@db',
    'mysql://root:se%@db',
    'mysql://root:secret@db/a.b.c',
    'mysql://root:secret@db/`a',
    'mysql://root:secret@db/a..b',
    'mysql://root:secret@db:99999/a',
    'mysql://root:secret@/a',
  ]
  for (const url of urls) {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => /cannot be read/.test(error.message) && !/secret|se@|se%|cret/.test(error.message),
      url,
    )
  }
})
