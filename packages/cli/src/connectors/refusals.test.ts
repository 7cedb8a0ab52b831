import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalsOf, renderRefusals, unknownClassText } from './refusals.ts'

// Answers of Kafka Connect 4.3 with Debezium 3.6 to POST /connectors, from the recordings of the REST tests.
const HEAD = 'Connector configuration is invalid and contains the following 4 error(s):'
const FOOT =
  'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`'
const MESSAGE = [
  HEAD,
  'Invalid value two for configuration tasks.max: Not a number of type INT',
  'Invalid value null for configuration tasks.max: Value must be non-null',
  "The 'topic.prefix' value is invalid: A value is required",
  'Unable to connect: Communications link failure',
  FOOT,
].join('\n')

test('a refusal is split into reasons with their properties', () => {
  assert.deepEqual(refusalsOf(MESSAGE), [
    {
      property: 'tasks.max',
      reason: 'Invalid value two for configuration tasks.max: Not a number of type INT',
    },
    { property: 'tasks.max', reason: 'Invalid value null for configuration tasks.max: Value must be non-null' },
    { property: 'topic.prefix', reason: 'A value is required' },
    { property: null, reason: 'Unable to connect: Communications link failure' },
  ])
})

test('any other message is not split', () => {
  assert.equal(refusalsOf('Connector name in request config must match name in the request url'), null)
})

test('each property is printed once, with its reasons below it', () => {
  assert.equal(
    renderRefusals(refusalsOf(MESSAGE) ?? []),
    [
      '  Unable to connect: Communications link failure',
      '  tasks.max',
      '    Invalid value two for configuration tasks.max: Not a number of type INT',
      '    Invalid value null for configuration tasks.max: Value must be non-null',
      '  topic.prefix',
      '    A value is required',
    ].join('\n'),
  )
})

test('the message about an unknown class is shortened to the names of the known classes', () => {
  // An answer of Kafka Connect 4.3, from the recordings of the REST tests.
  const plugin = (name: string): string =>
    `PluginDesc{klass=class ${name}, name='${name}', version='3.6.1.Final', encodedVersion=3.6.1.Final, type=source, typeName='source', location='file:/plugins/'}`
  const known = ['io.debezium.connector.mysql.MySqlConnector', 'org.apache.kafka.connect.mirror.MirrorSourceConnector']
  const message = `Failed to find any class that implements Connector and which name matches com.example.Nope, available connectors are: ${known.map(plugin).join(', ')}`
  assert.equal(
    unknownClassText(message),
    `the service has no connector class com.example.Nope; it has ${known.join(', ')}`,
  )
  assert.equal(unknownClassText(MESSAGE), null)
})
