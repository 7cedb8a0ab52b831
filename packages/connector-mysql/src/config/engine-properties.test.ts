import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineRefusals } from './engine-properties.ts'

test('a schema history outside Kafka is refused, with the properties to set instead', () => {
  const text = engineRefusals({ 'schema.history.internal': 'io.debezium.storage.redis.history.RedisSchemaHistory' })
  assert.deepEqual(Object.keys(text), ['schema.history.internal'])
  assert.match(
    text['schema.history.internal']?.[0] ?? '',
    /not in io\.debezium\.storage\.redis\.history\.Redis.*kafka\.topic$/,
  )
})

test('offsets outside the worker are refused; the stores of Kafka Connect are not', () => {
  const store = 'io.debezium.storage.jdbc.offset.JdbcOffsetBackingStore'
  assert.match(
    engineRefusals({ 'offset.storage': store })['offset.storage']?.[0] ?? '',
    /offset\.storage\.topic, not in io/,
  )
  assert.deepEqual(
    engineRefusals({
      'offset.storage': 'org.apache.kafka.connect.storage.KafkaOffsetBackingStore',
      'schema.history.internal': ' io.debezium.storage.kafka.history.KafkaSchemaHistory ',
    }),
    {},
  )
})
