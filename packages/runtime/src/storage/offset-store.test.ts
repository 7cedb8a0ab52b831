import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetJson, offsetKey, parseOffsetKey, parseOffsetValue, partitionText } from './offset-record.ts'
import { OffsetStore } from './offset-store.ts'
import { logRecord, recordedTopic } from './testing/recorded-topic.ts'

const recorded = recordedTopic('offsets')
const PARTITION = { server: 'dbserver1' }

test('offsets of a real worker are read, and read the same when written again', () => {
  const values = recorded.flatMap(({ value }) => (value === null ? [] : [value]))
  assert.equal(values.length, 4)
  for (const value of values) assert.equal(offsetJson(parseOffsetValue(value, 'c', PARTITION)), value)
  for (const { key } of recorded) {
    const parsed = parseOffsetKey(key)
    assert.deepEqual(parsed, { connector: 'inventory-connector', partition: PARTITION })
    assert.equal(offsetKey('inventory-connector', PARTITION), key)
  }
})

test('the last record of a partition applies; a tombstone removes its offset', () => {
  const store = new OffsetStore(captureLogger())
  for (const { key, value } of recorded.slice(0, 2)) store.apply(logRecord(key, value))
  assert.deepEqual(store.offsets('inventory-connector'), [
    {
      partition: PARTITION,
      offset: {
        ts_sec: 1795260231,
        file: 'binlog.000001',
        pos: 27532,
        gtids: 'f7c2e168-e599-11f1-bfcf-02fc00000001:1-107',
        row: 1,
        server_id: 3307,
        event: 2,
      },
    },
  ])
  for (const { key, value } of recorded.slice(2)) store.apply(logRecord(key, value))
  assert.deepEqual(store.offsets('inventory-connector'), [])
})

test('connectors and partitions are separate; the order of a partition’s keys does not matter', () => {
  const store = new OffsetStore(captureLogger())
  store.apply(logRecord('["a",{"server":"x","database":"d"}]', '{"pos":1}'))
  store.apply(logRecord('["a",{"database":"d","server":"x"}]', '{"pos":2}'))
  store.apply(logRecord('["a",{"server":"y"}]', '{"pos":3}'))
  store.apply(logRecord('["b",{"server":"y"}]', '{"pos":4}'))
  assert.deepEqual(
    [store.offsets('a'), store.offsets('b'), store.offsets('c')].map((offsets) =>
      offsets.map(({ offset }) => offset['pos']),
    ),
    [[2, 3], [4], []],
  )
  assert.equal(partitionText({ b: 1, a: 2 }), partitionText({ a: 2, b: 1 }))
})

test('numbers keep all their digits', () => {
  const table: readonly (readonly [text: string, value: unknown])[] = [
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['0.5', 0.5],
    ['true', true],
    ['null', null],
    ['"9007199254740993"', '9007199254740993'],
  ]
  for (const [text, value] of table) {
    const document = parseOffsetValue(`{"n":${text}}`, 'c', PARTITION)
    assert.deepEqual(document, { n: value })
    assert.equal(offsetJson(document), `{"n":${text}}`)
  }
})

test('texts with quotes and non-Latin scripts are JSON', () => {
  assert.equal(offsetKey('a"b\\', { server: 'é\n' }), '["a\\"b\\\\",{"server":"é\\n"}]')
  assert.deepEqual(parseOffsetKey(offsetKey('a"b\\', { server: 'é\n' })), {
    connector: 'a"b\\',
    partition: { server: 'é\n' },
  })
})

test('a record with another kind of key is skipped with a warning', () => {
  const logger = captureLogger()
  const store = new OffsetStore(logger)
  const keys = [null, '', 'x', '{}', '[]', '["a"]', '["a",{},1]', '[1,{}]', '["a",[]]', '["a",{"b":{}}]', '["a",null]']
  for (const key of keys) store.apply(logRecord(key, '{}'))
  assert.deepEqual(
    logger.lines.map(({ level, fields }) => [level, fields['key']]),
    keys.map((key) => ['warn', key]),
  )
})

test('reading an unreadable offset is an error: without it the connector would start from scratch', () => {
  for (const text of ['x', '[]', '"a"', 'null', '{"a":{}}', '{"a":[1]}']) {
    const store = new OffsetStore(captureLogger())
    store.apply(logRecord('["c",{"server":"s"}]', text))
    assert.throws(() => store.offsets('c'), {
      name: 'org.apache.kafka.connect.errors.DataException',
      message: `The stored offset ["c",{"server":"s"}] is not a flat JSON object: ${text}. Write a correct value to the offset topic, or a record with that key and a null value to let the connector start from scratch.`,
    })
    assert.deepEqual(store.offsets('other'), [])
  }
})
