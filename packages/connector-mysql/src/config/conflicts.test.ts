import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflictsWith } from './conflicts.ts'

const shop = {
  'database.hostname': 'db',
  'database.port': '3306',
  'database.server.id': '5',
  'topic.prefix': 'shop',
  'schema.history.internal.kafka.topic': 'history.shop',
  'schema.history.internal.kafka.bootstrap.servers': 'kafka:9092',
}

test('settings that two connectors should not share are reported by property, with the names of the others', () => {
  const found = conflictsWith(
    'mysql',
    shop,
    new Map([
      ['a', shop],
      ['b', { ...shop, 'topic.prefix': 'other' }],
    ]),
  )
  assert.deepEqual(Object.keys(found), ['topic.prefix', 'schema.history.internal.kafka.topic', 'database.server.id'])
  assert.match(found['topic.prefix']?.[0] ?? '', /^topic\.prefix=shop is also that of a: /)
  assert.match(found['database.server.id']?.[0] ?? '', /^database\.server\.id=5 is also that of a, b: /)
})

const different: readonly (readonly [what: string, other: Readonly<Record<string, string>>])[] = [
  ['another server', { 'database.hostname': 'db2', 'database.port': '3306', 'database.server.id': '5' }],
  [
    'other brokers',
    {
      'schema.history.internal.kafka.topic': 'history.shop',
      'schema.history.internal.kafka.bootstrap.servers': 'kafka2:9092',
    },
  ],
  ['another port', { 'database.hostname': 'db', 'database.port': '3307', 'database.server.id': '5' }],
  ['no properties', {}],
]

for (const [what, other] of different) {
  test(`with ${what} there is no conflict`, () => {
    assert.deepEqual(conflictsWith('mysql', shop, new Map([['other', other]])), {})
  })
}

test('a history topic under the other name of its property is the same', () => {
  const other = {
    'schema.history.internal.broker.topic': 'history.shop',
    'schema.history.internal.broker.bootstrap.servers': 'kafka:9092',
  }
  assert.deepEqual(Object.keys(conflictsWith('mysql', shop, new Map([['other', other]]))), [
    'schema.history.internal.kafka.topic',
  ])
})

test('the default port is 3306, on either side', () => {
  const { 'database.port': _, ...withoutPort } = shop
  for (const [config, other] of [
    [shop, withoutPort],
    [withoutPort, shop],
    [{ ...shop, 'database.port': ' ' }, withoutPort],
  ] as const) {
    assert.ok(Object.hasOwn(conflictsWith('mysql', config, new Map([['a', other]])), 'database.server.id'))
  }
})

test('only MariaDB ends the connection of the other replica with the same number', () => {
  const textOf = (kind: 'mysql' | 'mariadb'): string =>
    conflictsWith(kind, shop, new Map([['a', shop]]))['database.server.id']?.join() ?? ''
  assert.match(textOf('mariadb'), /MariaDB .* ends the connection of the other/)
  assert.match(textOf('mysql'), /MySQL serves both/)
  assert.doesNotMatch(textOf('mysql'), /ends/)
})
