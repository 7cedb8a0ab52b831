import { mariadbConnectorPlugin, mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { jsonConverterPlugin, simpleHeaderConverterPlugin, stringConverterPlugin } from '@tributary/converters'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Plugins } from './plugins.ts'

const plugins = new Plugins([
  simpleHeaderConverterPlugin,
  jsonConverterPlugin,
  mysqlConnectorPlugin,
  stringConverterPlugin,
  mariadbConnectorPlugin,
])

test('connectors are found by full name, simple name and the name without Connector; case matters', () => {
  const mysql = mysqlConnectorPlugin.className
  const mariadb = mariadbConnectorPlugin.className
  const table: readonly (readonly [name: string, className: string | null])[] = [
    ['io.debezium.connector.mysql.MySqlConnector', mysql],
    ['MySqlConnector', mysql],
    ['MySql', mysql],
    ['io.debezium.connector.mariadb.MariaDbConnector', mariadb],
    ['MariaDbConnector', mariadb],
    ['MariaDb', mariadb],
    ['mysql', null],
    [' MySql ', null],
    ['', null],
    ['Connector', null],
    ['org.apache.kafka.connect.json.JsonConverter', null],
  ]
  for (const [name, className] of table) assert.equal(plugins.source(name)?.className ?? null, className, name)
})

test('converters are found by the same three names, for their own kind only', () => {
  for (const className of ['org.apache.kafka.connect.json.JsonConverter', 'JsonConverter', 'Json']) {
    assert.equal(plugins.checkConverter(className, 'converter'), null)
    assert.equal(plugins.converter({ className, options: {} }, true).constructor.name, 'JsonConverter')
  }
  assert.equal(plugins.checkConverter('com.example.No', 'converter'), 'Class com.example.No could not be found.')
  const glue = 'com.amazonaws.services.schemaregistry.kafkaconnect.AWSKafkaAvroConverter'
  assert.match(plugins.checkConverter(glue, 'converter') ?? '', /third party, .* Use a converter that GET/)
  const isRefused = (className: string, kind: 'converter' | 'header_converter'): boolean =>
    plugins.checkConverter(className, kind) !== null
  assert.deepEqual(
    [isRefused('SimpleHeaderConverter', 'header_converter'), isRefused('SimpleHeaderConverter', 'converter')],
    [false, true],
  )
})

test('a converter is configured with its options', () => {
  const bytes = (options: Readonly<Record<string, string>>): string =>
    Buffer.from(
      plugins.converter({ className: 'JsonConverter', options }, false).encoderFor(null, 't').prefix,
    ).toString()
  assert.notEqual(bytes({ 'schemas.enable': 'true' }), bytes({ 'schemas.enable': 'false' }))
})

test('the error for an unknown class names it, and where to find the known ones', () => {
  const message = (kind: string): string =>
    `Class com.example.No could not be found: there is no ${kind} of that name. Name one that GET /connector-plugins?connectorsOnly=false lists.`
  const spec = { className: 'com.example.No', options: {} }
  assert.throws(() => plugins.converter(spec, true), { message: message('converter') })
  assert.throws(() => plugins.headerConverter(spec), { message: message('header converter') })
})

test('the list has connectors first, then converters, then header converters', () => {
  const { version } = mysqlConnectorPlugin
  const sources = [
    { class: 'io.debezium.connector.mysql.MySqlConnector', type: 'source', version },
    { class: 'io.debezium.connector.mariadb.MariaDbConnector', type: 'source', version },
  ]
  assert.deepEqual(plugins.list(true), sources)
  assert.deepEqual(
    plugins.list(false).map(({ class: className, type }) => [className, type]),
    [
      ...sources.map(({ class: className, type }) => [className, type]),
      ['org.apache.kafka.connect.json.JsonConverter', 'converter'],
      ['org.apache.kafka.connect.storage.StringConverter', 'converter'],
      ['org.apache.kafka.connect.storage.SimpleHeaderConverter', 'header_converter'],
    ],
  )
})

test('transformations for systems that do not exist here are refused with the remedy', () => {
  for (const name of ['io.debezium.transforms.tracing.ActivateTracingSpan', 'ActivateTracingSpan']) {
    assert.match(
      plugins.checkStage('transformation', name) ?? '',
      /^Class io\.debezium\.transforms\.tracing\.ActivateTracingSpan is not supported: .* Remove the transformation/,
    )
  }
  assert.match(plugins.checkStage('transformation', 'OpenLineage') ?? '', /OpenLineage is not supported: .*\/topics/)
  assert.equal(plugins.checkStage('transformation', 'Lineage'), 'Class Lineage could not be found.')
})

test('lazy plug-ins are loaded once, when a configuration may name one of them or when all are listed', async () => {
  let loads = 0
  const known = new Plugins([
    jsonConverterPlugin,
    {
      type: 'lazy',
      isNamedIn: ({ transforms }) => transforms !== undefined,
      load: () => Promise.resolve([{ ...stringConverterPlugin, version: String(++loads) }]),
    },
  ])
  const isKnown = (): boolean => known.checkConverter('StringConverter', 'converter') === null

  await known.loadFor({ 'key.converter': 'JsonConverter' })
  assert.deepEqual([isKnown(), loads], [false, 0])
  await Promise.all([known.loadFor({ transforms: 'a' }), known.loadAll()])
  await known.loadAll()

  assert.equal(isKnown(), true)
  const listed = known.list(false).filter(({ class: name }) => name === stringConverterPlugin.className)
  assert.equal(listed.length, 1)
})

test('transformations of third parties are refused with what is similar', () => {
  assert.match(
    plugins.checkStage('transformation', 'com.ziphq.kafka.connect.smt.PartitionRouting') ?? '',
    /^Class com\.ziphq.* could not be found: it is Java code of a third party.*io\.debezium\.transforms\.partitions\.PartitionRouting/,
  )
  assert.match(
    plugins.checkStage('transformation', 'com.github.jcustenborder.kafka.connect.transform.common.ChangeCase$Key') ??
      '',
    /third party, which Tributary cannot load\. Remove it, or use a transformation that .* lists\.$/,
  )
})
