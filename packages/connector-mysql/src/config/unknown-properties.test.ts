import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mysqlKind } from '../connector-kind.ts'
import { connectorKeys } from './connector-keys.ts'
import { unknownProperties } from './unknown-properties.ts'

const known = connectorKeys(mysqlKind).map(({ name, aliases = [] }) => ({ name, aliases }))

function reasonFor(name: string, more: Readonly<Record<string, string>> = {}): string | null {
  const found = unknownProperties({ 'topic.prefix': 'p', ...more, [name]: 'x' }, known)
  assert.ok(found.length <= 1)
  return found[0]?.reason ?? null
}

/** The suggestion; null when no name is similar enough. */
const suggestions: readonly (readonly [name: string, suggestion: string | null])[] = [
  ['table.include.lists', 'table.include.list'],
  ['table.inclde.list', 'table.include.list'],
  ['Table.Include.List', 'table.include.list'],
  ['database.hostnmae', 'database.hostname'],
  ['tabel.include.list', 'table.include.list'],
  ['tables.include.list', 'table.include.list'],
  ['tombstone.on.delete', 'tombstones.on.delete'],
  ['transfroms', 'transforms'],
  // An old name, misspelt: the present one is suggested.
  ['table.whitelis', 'table.include.list'],
  // The beginning and the end of a name.
  ['database.include', 'database.include.list'],
  ['AllowPublicKeyRetrieval', 'driver.allowPublicKeyRetrieval'],
  ['owner', null],
  ['mode', null],
]

for (const [name, expected] of suggestions) {
  test(`${name}: ${expected === null ? 'unknown' : expected}`, () => {
    const suggestion = expected === null ? '' : `. Did you mean ${expected}?`
    assert.equal(reasonFor(name), `is not known and has no effect${suggestion}`)
  })
}

test('an invisible character is named by its number', () => {
  assert.equal(
    reasonFor('heartbeat.interval\u200b.ms'),
    'is not known and has no effect: its name contains the invisible character U+200B. Did you mean heartbeat.interval.ms?',
  )
  assert.equal(
    reasonFor('tasks.max\u00a0'),
    'is not known and has no effect: its name contains the invisible character U+00A0. Did you mean tasks.max?',
  )
})

const notReported = [
  'table.include.list',
  // Known, but not supported yet: reported elsewhere.
  'column.exclude.list',
  'snapshot.max.threads',
  // Of the runtime, the converters and the clients.
  'tasks.max.enforce',
  'topic.creation.default.partitions',
  'schema.history.internal',
  'schema.history.internal.producer.security.protocol',
  'schema.history.internal.broker.topic',
  'value.converter.schemas.enable',
  'producer.override.linger.ms',
  'name',
  'transforms',
  'task.class',
  'database.connectionTimeZone',
  'driver.allowPublicKeyRetrieval',
  'errors.log.enable',
  'config.action.reload',
]

for (const name of notReported) test(`${name}: not reported`, () => assert.equal(reasonFor(name), null))

const foreign: readonly (readonly [name: string, part: RegExp])[] = [
  ['_comment', /comment/],
  ['_comment:', /comment/],
  ['//', /comment/],
  ['#tables', /comment/],
  ['producer.compression.type', /producer\.override/],
  ['consumer.max.poll.records', /setting of a worker/],
  ['offset.flush.interval.ms', /setting of the worker/],
  ['internal.key.converter.schemas.enable', /setting of the worker/],
  ['errors.deadletterqueue.topic.name', /sink connectors only/],
  ['clickhouse.server.url', /sink connector/],
  ['pk.fields', /sink connector/],
  ['slot.name', /other databases/],
  ['database.dbname', /other databases/],
  ['schema.include.list', /other databases/],
  ['debezium.sink.type', /Debezium Server/],
  ['database.useSSL', /JDBC driver/],
  ['driver.socketTimeout', /JDBC driver/],
  ['database.connection.url', /JDBC driver/],
]

for (const [name, part] of foreign) {
  test(`${name}: without effect, because it belongs elsewhere`, () => {
    const reason = reasonFor(name) ?? ''
    assert.match(reason, part)
    assert.match(reason, /has no effect/)
  })
}

test('options of an alias that its list does not name have no effect', () => {
  const config = { transforms: 'unwrap, with.dots' }
  assert.equal(reasonFor('transforms.unwarp.type', config), 'has no effect, because transforms does not list unwarp')
  assert.equal(reasonFor('transforms.unwrap.type', config), null)
  assert.equal(reasonFor('transforms.with.dots.type', config), null)
  assert.equal(reasonFor('predicates.p.type', config), 'has no effect, because predicates does not list p')
})
