import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addedProperties } from './added-properties.ts'

const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'

test('converters of the worker and --set are what the registration lacks; secrets are only named', () => {
  const original = { 'value.converter': 'own', 'topic.prefix': 'shop', 'snapshot.mode': 'initial' }
  const given = { 'decimal.handling.mode': 'string', 'database.password': 'hunter2', 'snapshot.mode': 'initial' }
  const worker = {
    'key.converter': JSON_CONVERTER,
    'key.converter.schemas.enable': 'false',
    'key.converter.basic.auth.user.info': 'ada:hunter2',
    'value.converter.schemas.enable': 'false',
    'bootstrap.servers': 'x:9092',
  }
  assert.deepEqual(addedProperties(original, given, worker), {
    added: {
      'key.converter': JSON_CONVERTER,
      'key.converter.schemas.enable': 'false',
      'header.converter': 'org.apache.kafka.connect.storage.SimpleHeaderConverter',
      'decimal.handling.mode': 'string',
    },
    secret: ['key.converter.basic.auth.user.info', 'database.password'],
  })
})

test('references stay references', () => {
  const password = '${file:/run/secrets:password}'
  assert.deepEqual(
    addedProperties(
      { 'key.converter': 'a', 'value.converter': 'b', 'header.converter': 'c' },
      { 'database.password': password },
      {},
    ),
    { added: { 'database.password': password }, secret: [] },
  )
})
