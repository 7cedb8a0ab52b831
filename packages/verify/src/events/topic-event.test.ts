import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogRecord } from '@tributary/kafka'
import { PartReader } from './decoded-record.ts'
import { placeholderTexts, topicEvent } from './topic-event.ts'

const PLACEHOLDER = '__debezium_unavailable_value'
const STRING_CONVERTER = 'org.apache.kafka.connect.storage.StringConverter'
const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'

function recordOf(key: string | null, value: string | Buffer | null): LogRecord {
  const bytes = (content: string | Buffer | null): Buffer | null =>
    typeof content === 'string' ? Buffer.from(content) : content
  return { topic: 't', partition: 1, offset: 5n, timestamp: 9, key: bytes(key), value: bytes(value), headers: [] }
}

function eventOf(record: LogRecord, className = JSON_CONVERTER, hasSchemas = false): ReturnType<typeof topicEvent> {
  const options = { className, options: { 'schemas.enable': String(hasSchemas) } }
  const [key, value] = [new PartReader(options, 'key').read(record), new PartReader(options, 'value').read(record)]
  return topicEvent(record, key, value, placeholderTexts(PLACEHOLDER))
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
  const text = eventOf(recordOf('k', 'plain'), STRING_CONVERTER)
  assert.deepEqual([text.key, text.value, text.note], ['k', 'plain', null])
  const bytes = eventOf(recordOf('k', Buffer.from([0xff, 0x00])))
  assert.deepEqual([bytes.value, bytes.note], ['ff00', 'The value is neither JSON nor text; its bytes are shown.'])
})

test('a long value is cut, and whether it has changed is not', () => {
  const long = 'x'.repeat(10_000)
  const value = JSON.stringify({ before: { a: `${long}1` }, after: { a: `${long}2` }, source: {}, op: 'u' })
  const { fields, note } = eventOf(recordOf(null, value))
  assert.equal(fields[0]?.before, fields[0]?.after)
  assert.deepEqual([fields[0]?.isChanged, fields[0]?.before?.length, note], [true, 4_097, 'Long values are cut.'])
})

test('columns may have the names of members of every object', () => {
  const row = '{"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":null}'
  const created = eventOf(recordOf(null, `{"before":null,"after":${row},"source":{"__proto__":5},"op":"c"}`))
  assert.deepEqual(created.fields, [
    { name: '__proto__', after: '1', isChanged: false },
    { name: 'constructor', after: '2', isChanged: false },
    { name: 'toString', after: '3', isChanged: false },
    { name: 'hasOwnProperty', after: 'null', isChanged: false },
  ])
  assert.equal(JSON.stringify(created.source), '{"__proto__":"5"}')
  const deleted = eventOf(recordOf(null, `{"before":${row},"after":null,"source":{},"op":"d"}`))
  assert.deepEqual(deleted.fields[0], { name: '__proto__', before: '1', isChanged: false })
})

test('a row with columns op and before is no envelope', () => {
  for (const value of [
    '{"op":"x","before":1}',
    '{"op":"x","before":1,"source":{}}',
    '{"op":"x","after":{},"source":"web"}',
  ])
    assert.deepEqual([eventOf(recordOf(null, value)).op, eventOf(recordOf(null, value)).value], [null, value])
})

test('whether a value that the binlog does not have has changed is not known', () => {
  const value = `{"before":{"a":"${PLACEHOLDER}","b":1,"c":"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="},"after":{"a":"x","b":2,"c":"eA=="},"source":{},"op":"u"}`
  const { fields, note } = eventOf(recordOf(null, value))
  assert.deepEqual(
    fields.map(({ isChanged }) => isChanged),
    [false, true, false],
  )
  assert.deepEqual([...placeholderTexts('hex:7878')], ['"xx"', '"eHg="', String.raw`"{\"xx\":\"xx\"}"`])
  assert.equal(note, 'Placeholders stand for values that are not in the binlog.')
})

test('numbers of eight bytes and Avro are bytes, although they are valid UTF-8', () => {
  const number = Buffer.from([0, 0, 0, 0, 0, 0, 1, 0x41])
  for (const className of [JSON_CONVERTER, STRING_CONVERTER, 'org.apache.kafka.connect.converters.LongConverter']) {
    const { value, note } = eventOf(recordOf('k', number), className)
    assert.deepEqual([value, note], ['0000000000000141', 'The value is neither JSON nor text; its bytes are shown.'])
  }
  assert.equal(eventOf(recordOf('k', 'a\tb\r\nc 漢字'), STRING_CONVERTER).value, 'a\tb\r\nc 漢字')
})

test('of long bytes the beginning is shown, with their number', () => {
  const { value, note, bytes } = eventOf(recordOf(null, Buffer.alloc(100_000, 0xff)))
  assert.deepEqual([value, bytes], ['ff'.repeat(256), 100_000])
  assert.equal(note, 'The value is neither JSON nor text; the first 256 of its 100000 bytes are shown.')
})

test('JSON with bytes that are no UTF-8 is shown as bytes, not with other characters', () => {
  const { value } = eventOf(recordOf(null, Buffer.from([0x22, 0xe9, 0x22])))
  assert.equal(value, '22e922')
})

test('a text that looks like JSON is shown as it is', () => {
  const text = eventOf(recordOf(' 12 ', '{ "a" : 1 }'), STRING_CONVERTER)
  assert.deepEqual([text.key, text.value, text.isDocument], [' 12 ', '{ "a" : 1 }', { key: false, value: false }])
  assert.deepEqual(eventOf(recordOf('12', '{}')).isDocument, { key: true, value: true })
})

test('a record that cannot be read is shown as bytes, with the reason', () => {
  const { value, note } = eventOf(recordOf(null, '['.repeat(100_000) + ']'.repeat(100_000)))
  assert.equal(value, '5b'.repeat(256))
  assert.match(note ?? '', /^The value cannot be read \(.*\); the first 256 of its 200000 bytes are shown\.$/)
})

test('a record with very many long fields has some of them, and says how many are left out', () => {
  const row = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`c${i}`, 'x'.repeat(4_000)]))
  const event = eventOf(recordOf(null, JSON.stringify({ before: row, after: row, source: {}, op: 'u' })))
  assert.ok(event.fields.length > 50 && JSON.stringify(event).length < 600_000)
  assert.equal(event.note, `${300 - event.fields.length} fields are left out: the record is too large.`)
  const names = eventOf(recordOf(null, JSON.stringify({ after: { ['n'.repeat(9_999)]: 1 }, source: row, op: 'c' })))
  assert.deepEqual([names.fields[0]?.name.length, Object.keys(names.source).length], [257, 100])
  assert.equal(names.note, 'Long values are cut. 200 fields are left out: the record is too large.')
})

test('a cut leaves no half of a character', () => {
  const value = `${'x'.repeat(16_383)}😀`
  assert.equal(eventOf(recordOf(null, value), STRING_CONVERTER).value, `${'x'.repeat(16_383)}…`)
})
