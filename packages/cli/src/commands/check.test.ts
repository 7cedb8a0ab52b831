/** `tributary check` without servers. */
import { type ProgramResult, temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCli } from '../testing/cli-process.ts'

const folder = temporaryFolder('check-invalid')
after(() => folder[Symbol.asyncDispose]())

/** A document in which each property has another fate. */
const DOCUMENT = `name=shop
connector.class=MySql
database.hostname=none.invalid
database.user=u
database.password=\${env:NONE}
database.server.id=5
topic.prefix=shop
schema.history.internal.broker.topic=h
schema.history.internal.kafka.bootstrap.servers=k:9092
schema.history.internal.kafka.recovery.attempts=4
signal.enabled.channels=source
custom.metric.tags=a=b
tabel.include.list=a.b
max.queue.size=10000
max.batch.size=5000
converters=isbn,flag
flag.type=io.debezium.connector.binlog.converters.TinyIntOneToBooleanConverter
flag.selector=a.b.c
flag.selectr=a.b.c
post.processors=again
post.processors.again.type=io.debezium.processors.reselect.ReselectColumnsPostProcessor
post.processors.again.reselect.null.values=true
value.converter.schemas.enable=false
producer.override.compression.type=zstd
driver.allowPublicKeyRetrieval=true
transforms=route,unwrap,state
transforms.route.type=org.apache.kafka.connect.transforms.RegexRouter
transforms.route.regex=.*
transforms.route.replacement=x
transforms.route.replacment=y
transforms.route.predicate=isShop
transforms.unwrap.type=org.acme.Unwrap
transforms.other.type=x
transforms.state.type=io.debezium.transforms.ExtractNewRecordState
transforms.state.add.fields=op
transforms.state.replace.null.with.default=false
transforms.state.add.field=op
predicates=isShop
predicates.isShop.type=org.apache.kafka.connect.transforms.predicates.TopicNameMatches
predicates.isShop.pattern=shop.*
`

const NO_CLASS = 'Invalid value org.acme.Unwrap for configuration transforms.unwrap.type'
const NO_PROVIDER_VALUE =
  'database.password refers to ${env:NONE}, which has no value: the environment of the service has no variable NONE.'

/** The beginnings of the lines of the table. */
const EXPECTED = [
  '✔ | connector.class | works as before',
  '✔ | database.hostname | works as before',
  '✔ | database.user | works as before',
  `✖ | database.password | refused | ${NO_PROVIDER_VALUE}`,
  '✔ | database.server.id | works as before',
  '✔ | topic.prefix | works as before',
  '✔ | schema.history.internal.broker.topic | works as before | as schema.history.internal.kafka.topic',
  '✔ | schema.history.internal.kafka.bootstrap.servers | works as before',
  '⚠ | schema.history.internal.kafka.recovery.attempts | has no effect | Nothing reads it in this version.',
  '✔ | signal.enabled.channels | works differently',
  '⚠ | custom.metric.tags | has no effect | It has no effect in this version',
  '⚠ | tabel.include.list | has no effect | It is not known and has no effect. Did you mean table.include.list?',
  '⚠ | max.queue.size | has no effect | Memory is bounded in bytes, by producer.override.buffer.memory.',
  '✔ | max.batch.size | works differently | A poll returns 256 records at most; larger values are as 256.',
  '✔ | converters | works as before',
  '✔ | flag.type | works as before',
  '✔ | flag.selector | works as before',
  '⚠ | flag.selectr | has no effect | It is not known and has no effect. Did you mean flag.selector?',
  '✔ | post.processors | works as before',
  '✔ | post.processors.again.type | works as before',
  '✔ | post.processors.again.reselect.null.values | works as before',
  '⚠ | value.converter.schemas.enable | has no effect | value.converter is not set, ',
  '✔ | producer.override.compression.type | works as before',
  '✔ | driver.allowPublicKeyRetrieval | works as before',
  '✔ | transforms | works as before',
  '✔ | transforms.route.type | works as before',
  '✔ | transforms.route.regex | works as before',
  '✔ | transforms.route.replacement | works as before',
  '⚠ | transforms.route.replacment | has no effect | org.apache.kafka.connect.transforms.RegexRouter has no option ',
  '✔ | transforms.route.predicate | works as before',
  `✖ | transforms.unwrap.type | refused | ${NO_CLASS}: Class org.acme.Unwrap could not be found.`,
  '⚠ | transforms.other.type | has no effect | ',
  '✔ | transforms.state.type | works as before',
  '✔ | transforms.state.add.fields | works as before',
  // Debezium's class reads it, although its definition does not have it.
  '✔ | transforms.state.replace.null.with.default | works as before',
  '⚠ | transforms.state.add.field | has no effect | io.debezium.transforms.ExtractNewRecordState has no option ',
  '✔ | predicates | works as before',
  '✔ | predicates.isShop.type | works as before',
  '✔ | predicates.isShop.pattern | works as before',
  "✖ | isbn.type | refused | The 'isbn.type' value is invalid: A value is required: the class of the converter isbn",
]

test('the table has one line per property: as before, differently, without effect, refused', async () => {
  const file = join(folder.path, 'shop.properties')
  writeFileSync(file, DOCUMENT)
  const environment = {
    CONNECT_CONFIG_PROVIDERS: 'env',
    CONNECT_CONFIG_PROVIDERS_ENV_CLASS: 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
  }
  const { code, stdout } = await runCli(['check', file], environment)
  assert.equal(code, 1)
  const lines = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))
  const start = lines.findIndex((line) => line.startsWith(' | PROPERTY')) + 1
  const table = lines.slice(start, lines.indexOf('', start))
  assert.deepEqual(
    table.map((line, index) => (line.endsWith('works as before') ? line : line.slice(0, EXPECTED[index]?.length))),
    EXPECTED,
  )
  assert.match(stdout, /^Not checked: The database, because references to config providers have no value here\.$/m)
})

function check(config: Readonly<Record<string, unknown>>, ...args: readonly string[]): Promise<ProgramResult> {
  const file = join(folder.path, 'connector.json')
  writeFileSync(file, JSON.stringify({ name: 'checked', config }))
  return runCli(['check', file, ...args])
}

test('the report on an invalid Avro connector has all findings; the schema registry is not asked', async () => {
  const config = {
    'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
    'database.hostname': 'none.invalid',
    'database.user': 'u',
    'database.server.id': '5',
    'value.converter': 'avro',
    'value.converter.schema.registry.url': 'http://127.0.0.1:1',
    'tabel.include.list': 'a.b',
  }
  const { code, stdout, stderr } = await check(config)
  assert.equal(stderr, '')
  assert.equal(code, 1)
  assert.match(stdout, /^✖ {2}topic\.prefix +refused +The 'topic\.prefix' value is invalid: A value is required\.$/m)
  assert.match(
    stdout,
    /^⚠ {2}tabel\.include\.list +has no effect +It is not known .* Did you mean table\.include\.list\?$/m,
  )
})

test('the report names the brokers of the schema history topic, which are not checked', async () => {
  const config = {
    'connector.class': 'MySql',
    'schema.history.internal.kafka.topic': 'history.shop',
    'schema.history.internal.kafka.bootstrap.servers': 'kafka-1:9092',
  }
  const { stdout } = await check(config)
  const sentence =
    'The Kafka brokers of the schema history topic history.shop (kafka-1:9092): the task connects to them when it starts.'
  assert.ok(stdout.includes(`\nNot checked: ${sentence}\n`), stdout)
  const { notChecked } = JSON.parse((await check(config, '--json')).stdout) as { readonly notChecked: unknown }
  assert.deepEqual(notChecked, [sentence])
})

test('a document without a known class, or with a value of another type, is invalid (exit code 2)', async () => {
  const table: readonly (readonly [config: Readonly<Record<string, unknown>>, message: RegExp])[] = [
    [
      {},
      /it has no connector\.class\. Set connector\.class to one of: io\.debezium\.connector\.mysql\.MySqlConnector, io/,
    ],
    [
      { 'connector.class': 'Acme' },
      /connector\.class is Acme, which check does not know\. Set connector\.class to one of: /,
    ],
    [{ 'connector.class': 'MySql', x: {} }, /the value of x is not a string, number or boolean/],
  ]
  for (const [config, message] of table) {
    const { code, stdout, stderr } = await check(config)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, message)
  }
})
