import { Schemas, type SourceRecord } from '@tributary/connect-api'
import type { RecordPart } from '@tributary/kafka'
import { CodedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryProducer } from '../testing/memory-producer.ts'
import { OpenTopic } from './admission/open-topics.ts'
import { RecordEncoder } from './record-encoder.ts'
import { recordAt } from './testing/test-record.ts'
import { TextConverter, textHeaders } from './testing/text-converter.ts'

interface Encoded {
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [string, string | null])[]
  readonly partition: number | null
  readonly timestamp: number | null
}

interface Fixture {
  readonly encoder: RecordEncoder
  readonly topic: OpenTopic
  readonly values: TextConverter
  readonly encode: (record: SourceRecord) => Encoded
}

function fixture(): Fixture {
  const values = new TextConverter('value ')
  const converters = { keyConverter: new TextConverter('key '), valueConverter: values }
  const topic = new OpenTopic(new MemoryProducer().knownTopic('orders'), converters)
  const encoder = new RecordEncoder(textHeaders)
  const encode = (record: SourceRecord): Encoded => {
    const { key, value, headers, partition, timestamp } = encoder.encode(record, topic)
    const list = 'count' in headers ? headers.list() : headers
    const texts = list.map((header) => [header.key.toString(), header.value?.toString() ?? null] as const)
    return { key: textOf(key), value: textOf(value), headers: texts, partition, timestamp }
  }
  return { encoder, topic, values, encode }
}

function textOf(part: RecordPart | null): string | null {
  return part === null ? null : Buffer.concat([part.prefix, part.buffer.subarray(part.start, part.end)]).toString()
}

test('a record has the bytes of its converters, and its partition and time', () => {
  const { encode } = fixture()
  const headers = [
    { key: 'h', schema: null, value: 'x' },
    { key: 'n', schema: null, value: null },
  ]
  assert.deepEqual(encode(recordAt(1, { partition: 3, timestamp: 1_700_000_000_000, headers })), {
    key: 'key k1',
    value: 'value v1',
    headers: [
      ['h', 'x'],
      ['n', null],
    ],
    partition: 3,
    timestamp: 1_700_000_000_000,
  })
  assert.deepEqual(encode(recordAt(2)), {
    key: 'key k2',
    value: 'value v2',
    headers: [],
    partition: null,
    timestamp: null,
  })
})

test('null becomes Kafka’s null, without the bytes of the record before', () => {
  const { encode } = fixture()
  encode(recordAt(1))
  const { key, value } = encode(recordAt(2, { key: null, value: null }))
  assert.deepEqual([key, value], [null, null])
})

test('an encoder is requested only when the schema differs from that of the record before', () => {
  const { encode, values } = fixture()
  for (const valueSchema of [Schemas.string, Schemas.string, null, null, Schemas.string]) {
    encode(recordAt(1, { valueSchema }))
  }
  assert.deepEqual(values.requested, [Schemas.string, null, Schemas.string])
})

test('a record that cannot be converted is named with its topic, its position and the reason', () => {
  const { encode } = fixture()
  for (const unfit of [{ key: 'unfit' }, { value: 'unfit' }]) {
    assert.throws(
      () => encode(recordAt(154, unfit)),
      (error) => {
        assert.ok(error instanceof CodedError)
        assert.equal(error.code, 'RECORD_FAILED')
        assert.match(
          error.message,
          /^Tolerance exceeded in error handler: a record for topic orders from source position \{"pos":154\} could not be converted: the value does not fit\. All earlier records are acknowledged/,
        )
        assert.equal(String(error.cause), 'Error: the value does not fit')
        return true
      },
    )
  }
  assert.equal(encode(recordAt(155)).value, 'value v155')
})

test('the size of a record is that of its key and its value with their prefixes', () => {
  const { encode, encoder } = fixture()
  encode(recordAt(1))
  assert.equal(encoder.encodedBytes, 'key k1value v1'.length)
  encode(recordAt(2, { value: null }))
  assert.equal(encoder.encodedBytes, 'key k2'.length)
})

test('encoded bytes that are kept after the poll are poisoned', () => {
  const { encoder, topic } = fixture()
  const { key, value } = encoder.encode(recordAt(1), topic)
  const kept = [key, value].map((part) => part?.buffer.subarray(part.start, part.end))
  assert.deepEqual(kept.map(String), ['k1', 'v1'])
  encoder.endPoll()
  assert.deepEqual(
    kept.map((bytes) => bytes?.toString('hex')),
    ['a5a5', 'a5a5'],
  )
})
