import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mysqlKind } from '../connector-kind.ts'
import { connectorKeys } from './connector-keys.ts'
import { unknownProperties } from './unknown-properties.ts'

const known = connectorKeys(mysqlKind).flatMap(({ name, aliases = [] }) => [name, ...aliases])

/** The suggestion; null when no name is similar enough. */
const cases: readonly (readonly [name: string, suggestion: string | null])[] = [
  ['table.include.lists', 'table.include.list'],
  ['table.inclde.list', 'table.include.list'],
  ['database.hostnmae', 'database.hostname'],
  ['database.whitelist', null],
  ['tabel.include.list', 'table.include.list'],
  ['tables.include.list', 'table.include.list'],
  ['tombstone.on.delete', 'tombstones.on.delete'],
  ['owner', null],
  ['query.fetch.size', null],
  ['table.include.list', 'not reported'],
  // Known, but not supported yet: reported elsewhere.
  ['column.exclude.list', 'not reported'],
  ['snapshot.max.threads', 'not reported'],
  // Of the runtime, the converters and the clients.
  ['tasks.max.enforce', 'not reported'],
  ['topic.creation.default.partitions', 'not reported'],
  ['schema.history.internal.producer.security.protocol', 'not reported'],
  ['schema.history.internal.broker.topic', 'not reported'],
  ['value.converter.schemas.enable', 'not reported'],
  ['producer.override.linger.ms', 'not reported'],
  ['name', 'not reported'],
  ['transforms', 'not reported'],
  ['task.class', 'not reported'],
  ['database.connectionTimeZone', 'not reported'],
  ['transforms.unwrap.type', 'not reported'],
  ['errors.log.enable', 'not reported'],
  ['config.action.reload', 'not reported'],
]

for (const [name, expected] of cases) {
  test(`${name}: ${expected === null ? 'unknown' : expected}`, () => {
    const found = unknownProperties({ 'topic.prefix': 'p', [name]: 'x' }, known)
    assert.deepEqual(found, expected === 'not reported' ? [] : [{ name, suggestion: expected }])
  })
}
