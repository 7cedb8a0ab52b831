import { Schemas } from '@tributary/connect-api'
import { CodedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordSender } from './record-sender.ts'
import { MemoryProducer } from '../testing/memory-producer.ts'
import { recordAt } from './testing/test-record.ts'
import { TextConverter, textHeaders } from './testing/text-converter.ts'

function fixture(): { producer: MemoryProducer; sender: RecordSender; values: TextConverter } {
  const [producer, values] = [new MemoryProducer(), new TextConverter('value ')]
  const sender = new RecordSender({
    keyConverter: new TextConverter('key '),
    valueConverter: values,
    headerConverter: textHeaders,
  })
  sender.open(producer.knownTopic('orders'))
  return { producer, sender, values }
}

test('a record goes to its topic with the bytes of its converters, its partition, time and token', () => {
  const { producer, sender } = fixture()
  const headers = [
    { key: 'h', schema: null, value: 'x' },
    { key: 'n', schema: null, value: null },
  ]
  sender.send(recordAt(1, { partition: 3, timestamp: 1_700_000_000_000, headers }), 17)
  sender.send(recordAt(2), 18)

  assert.deepEqual(producer.sent, [
    {
      topic: 'orders',
      key: 'key k1',
      value: 'value v1',
      headers: [
        ['h', 'x'],
        ['n', null],
      ],
      partition: 3,
      timestamp: 1_700_000_000_000,
      token: 17,
    },
    {
      topic: 'orders',
      key: 'key k2',
      value: 'value v2',
      headers: [],
      partition: null,
      timestamp: null,
      token: 18,
    },
  ])
})

test('null becomes Kafka’s null, without the bytes of the record before', () => {
  const { producer, sender } = fixture()
  sender.send(recordAt(1), 1)
  sender.send(recordAt(2, { key: null, value: null }), 2)
  assert.deepEqual([producer.sent[1]?.key, producer.sent[1]?.value], [null, null])
})

test('an encoder is asked for when the schema is another one than that of the record before', () => {
  const { sender, values } = fixture()
  for (const valueSchema of [Schemas.string, Schemas.string, null, null, Schemas.string]) {
    sender.send(recordAt(1, { valueSchema }), 1)
  }
  assert.deepEqual(values.asked, [Schemas.string, null, Schemas.string])
})

test('topics are open one by one', () => {
  const { producer, sender } = fixture()
  assert.deepEqual([sender.isOpen('orders'), sender.isOpen('customers')], [true, false])
  sender.open(producer.knownTopic('customers'))
  sender.send(recordAt(1, { topic: 'customers' }), 1)
  assert.equal(producer.sent[0]?.topic, 'customers')
})

test('of many topics those opened last stay open', () => {
  const producer = new MemoryProducer()
  const converter = new TextConverter('')
  const sender = new RecordSender(
    { keyConverter: converter, valueConverter: converter, headerConverter: textHeaders },
    2,
  )
  for (const topic of ['first', 'second', 'third']) sender.open(producer.knownTopic(topic))
  assert.deepEqual(
    ['first', 'second', 'third'].map((topic) => sender.isOpen(topic)),
    [false, true, true],
  )
})

test('a record that cannot be converted is named with its topic, its position and the reason, and is not sent', () => {
  const { producer, sender } = fixture()
  for (const unfit of [{ key: 'unfit' }, { value: 'unfit' }]) {
    assert.throws(
      () => sender.send(recordAt(154, unfit), 1),
      (error) => {
        assert.ok(error instanceof CodedError)
        assert.equal(error.code, 'RECORD_FAILED')
        assert.match(
          error.message,
          /^A record for topic orders from source position \{"pos":154\} could not be converted: the value does not fit\. Everything before it is safe/,
        )
        assert.equal(String(error.cause), 'Error: the value does not fit')
        return true
      },
    )
  }
  assert.equal(producer.sent.length, 0)
  sender.send(recordAt(155), 2)
  assert.equal(producer.sent[0]?.value, 'value v155')
})

test('so is one that the producer does not take', () => {
  const { producer, sender } = fixture()
  producer.onSend = () => {
    throw new Error('the record is larger than 1 MiB')
  }
  assert.throws(() => sender.send(recordAt(154), 1), {
    message: /from source position \{"pos":154\} could not be sent: the record is larger than 1 MiB\./,
  })
})
