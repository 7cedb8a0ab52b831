import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoredProperties, refusedProperties } from './later-keys.ts'

test('a property that would change the events is refused unless it has its neutral value', () => {
  const table: readonly (readonly [name: string, value: string])[] = [
    ['transaction.metadata.factory', 'com.example.Mine'],
  ]
  for (const [name, value] of table) {
    const refused = refusedProperties({ [name]: value })
    assert.deepEqual(Object.keys(refused), [name])
    assert.match(
      refused[name]?.[0] ?? '',
      new RegExp(`^The '${name}' value is invalid: This version of Tributary does`),
    )
    assert.equal(refused[name]?.length, 1)
  }
})

test('the neutral value and an empty value are accepted', () => {
  assert.deepEqual(
    refusedProperties({
      'column.exclude.list': ' ',
      converters: '',
      'skipped.operations': 't',
      'schema.history.internal': ' io.debezium.storage.kafka.history.KafkaSchemaHistory ',
    }),
    {},
  )
})

test('supported properties are not refused', () => {
  const known = [
    'database.include.list',
    'table.exclude.list',
    'tombstones.on.delete',
    'schema.name.adjustment.mode',
    'field.name.adjustment.mode',
    'schema.history.internal.kafka.topic',
  ]
  assert.deepEqual(refusedProperties(Object.fromEntries(known.map((name) => [name, 'x']))), {})
})

test('a property that only tunes is reported unless it has its neutral value', () => {
  assert.deepEqual(
    ignoredProperties({
      'custom.metric.tags': 'a=b',
      'binlog.buffer.size': '0',
      'database.hostname': 'x',
    }),
    ['custom.metric.tags'],
  )
})

test('the refusal of a property names what events would contain without it', () => {
  const [refusal] = refusedProperties({ 'transaction.metadata.factory': 'x' })['transaction.metadata.factory'] ?? []
  assert.match(refusal ?? '', /more data, or data in another form/)
})
