import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalsOf, renderRefusals, unknownClassText } from './refusals.ts'

// Messages of POST /connectors of Kafka Connect 4.3 with Debezium 3.6, from the recordings that the REST interface is tested with.
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

test('the refusals of a configuration, each with its property', () => {
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

test('another refusal is left as it is', () => {
  assert.equal(refusalsOf('Connector name in request config must match name in the request url'), null)
})

test('each property is named once, with its reasons below it', () => {
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

test('an unknown class is told with the names of those that are there', () => {
  // Of Kafka Connect 4.3, from the recordings that the REST interface is tested with.
  const plugin = (name: string): string =>
    `PluginDesc{klass=class ${name}, name='${name}', version='3.6.1.Final', encodedVersion=3.6.1.Final, type=source, typeName='source', location='file:/plugins/'}`
  const known = ['io.debezium.connector.mysql.MySqlConnector', 'org.apache.kafka.connect.mirror.MirrorSourceConnector']
  const message = `Failed to find any class that implements Connector and which name matches com.example.Nope, available connectors are: ${known.map(plugin).join(', ')}`
  assert.equal(
    unknownClassText(message),
    `there is no connector class com.example.Nope; available: ${known.join(', ')}`,
  )
  assert.equal(unknownClassText(MESSAGE), null)
})
