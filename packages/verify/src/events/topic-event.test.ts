import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import { PartReader } from './decoded-record.ts'
import { topicEvent } from './topic-event.ts'

const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'

function recordOf(key: string | null, value: string | Buffer | null): LogRecord {
  const bytes = (content: string | Buffer | null): Buffer | null =>
    typeof content === 'string' ? Buffer.from(content) : content
  return { topic: 't', partition: 1, offset: 5n, timestamp: 9, key: bytes(key), value: bytes(value), headers: [] }
}

function eventOf(record: LogRecord, className = JSON_CONVERTER, hasSchemas = false): ReturnType<typeof topicEvent> {
  const options = { className, options: { 'schemas.enable': String(hasSchemas) } }
  return topicEvent(record, new PartReader(options, 'key').read(record), new PartReader(options, 'value').read(record))
}

test('a change has its fields before and after, with all digits and their order', () => {
  const value =
    '{"before":{"id":9007199254740993,"a":1.10,"b":"x"},"after":{"id":9007199254740993,"a":1.1,"b":"y"},"source":{"file":"f","pos":4},"op":"u"}'
  const { op, fields, source, note } = eventOf(recordOf('{"id":9007199254740993}', value))
  assert.deepEqual(fields, [
    { name: 'id', before: '9007199254740993', after: '9007199254740993', isChanged: false },
    { name: 'a', before: '1.10', after: '1.1', isChanged: true },
    { name: 'b', before: '"x"', after: '"y"', isChanged: true },
  ])
  assert.deepEqual([op, source, note], ['u', { file: '"f"', pos: '4' }, null])
})

test('a document with its schema is shown without it', () => {
  const value = '{"schema":{"type":"int64"},"payload":9007199254740993}'
  assert.equal(eventOf(recordOf(null, value), JSON_CONVERTER, true).value, '9007199254740993')
})

test('a tombstone, a text and bytes are what they are', () => {
  assert.equal(eventOf(recordOf('k', null)).isTombstone, true)
  const text = eventOf(recordOf('k', 'plain'), 'org.apache.kafka.connect.storage.StringConverter')
  assert.deepEqual([text.key, text.value, text.note], ['k', 'plain', null])
  const bytes = eventOf(recordOf('k', Buffer.from([0xff, 0x00])))
  assert.deepEqual([bytes.value, bytes.note], ['ff00', 'The value is neither JSON nor text; its bytes follow.'])
})

test('a long value is cut, and whether it has changed is not', () => {
  const long = 'x'.repeat(10_000)
  const value = JSON.stringify({ before: { a: `${long}1` }, after: { a: `${long}2` }, op: 'u' })
  const { fields, note } = eventOf(recordOf(null, value))
  assert.equal(fields[0]?.before, fields[0]?.after)
  assert.deepEqual([fields[0]?.isChanged, fields[0]?.before?.length, note], [true, 4_097, 'Long values are cut.'])
})
