/** Forms and mistakes that documents of the same kind have, and that none of the published ones has. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { connectorConfig, type Service, startService, uniqueName, useKafka, useMySql } from '@tributary/testkit'

type Config = Readonly<Record<string, unknown>>

interface Variant {
  readonly title: string
  /** Undefined removes a property. */
  readonly changes: Config
  /** Patterns for the errors, in their order. */
  readonly errors?: readonly RegExp[]
  /** Properties with a warning. */
  readonly warned?: readonly string[]
}

const UNWRAP = {
  transforms: 'unwrap',
  'transforms.unwrap.type': 'io.debezium.transforms.ExtractNewRecordState',
}

const variants: readonly Variant[] = [
  {
    title: 'values in capitals, numbers and booleans that are no texts',
    changes: {
      'snapshot.mode': 'WHEN_NEEDED',
      'decimal.handling.mode': 'STRING',
      'time.precision.mode': 'CONNECT',
      'database.ssl.mode': 'PREFERRED',
      'tasks.max': 1,
      'max.batch.size': 1024,
      'include.schema.changes': false,
      'tombstones.on.delete': true,
    },
  },
  {
    title: 'the schema history of Debezium 1.x in memory',
    changes: { 'database.history': 'io.debezium.relational.history.MemoryDatabaseHistory' },
    errors: [/^The 'schema\.history\.internal' value is invalid: .*not in io\.debezium\.relational\.history\.Memory/],
  },
  {
    title: 'the schema history of Debezium 1.x in Kafka, by its class',
    changes: { 'database.history': 'io.debezium.relational.history.KafkaDatabaseHistory' },
    warned: ['database.history', 'schema.history.internal'],
  },
  {
    title: 'an include list under its present name, an exclude list under its old one',
    changes: { 'table.include.list': 'a.b', 'table.blacklist': 'a.c' },
    errors: [/^The 'table\.exclude\.list' value is invalid: "table\.include\.list" is already specified$/],
  },
  {
    title: 'spaces around names and after commas',
    changes: { 'table.include.list ': 'x', 'column.exclude.list': ' a.b.c , a.b.d ' },
    warned: ['table.include.list '],
  },
  {
    title: 'an invisible character in a value',
    changes: { 'topic.prefix': 'dbserver1\u200b' },
    errors: [/^The 'topic\.prefix' value is invalid: .*has invalid format/],
  },
  {
    title: 'an asterisk as a list of databases',
    changes: { 'database.include.list': '*' },
    errors: [/^The 'database\.include\.list' value is invalid: A comma-separated list of valid regular expressions/],
  },
  {
    title: 'an alias that is misspelt in its options',
    changes: {
      ...UNWRAP,
      'transforms.unwrap.type': undefined,
      'transforms.unwarp.type': UNWRAP['transforms.unwrap.type'],
    },
    errors: [/^Missing required configuration "transforms\.unwrap\.type"/],
  },
  {
    title: 'options of an alias that was removed from the list',
    changes: { ...UNWRAP, 'transforms.route.type': 'org.apache.kafka.connect.transforms.RegexRouter' },
    warned: ['transforms.route.type'],
  },
  {
    title: 'options of 0.9',
    changes: {
      ...UNWRAP,
      'transforms.unwrap.operation.header': 'true',
      'transforms.unwrap.add.source.fields': 'table',
      'transforms.unwrap.drop.deletes': 'false',
    },
    warned: [
      'transforms.unwrap.operation.header',
      'transforms.unwrap.add.source.fields',
      'transforms.unwrap.drop.deletes',
    ],
  },
  {
    title: 'an old option of a transformation with a wrong value',
    changes: { ...UNWRAP, 'transforms.unwrap.delete.handling.mode': 'keep' },
    errors: [
      /^Invalid settings of transforms\.unwrap: .*delete\.handling\.mode.*Value must be one of drop, rewrite, none/,
    ],
  },
  {
    title: 'an outbox with the options of 1.x',
    changes: {
      transforms: 'outbox',
      'transforms.outbox.type': 'io.debezium.transforms.outbox.EventRouter',
      'transforms.outbox.debezium.op.invalid.behavior': 'error',
    },
    warned: ['transforms.outbox.debezium.op.invalid.behavior'],
  },
  {
    title: 'properties of PostgreSQL',
    changes: { 'plugin.name': 'pgoutput', 'slot.name': 's', 'schema.include.list': 'public', 'database.dbname': 'd' },
    warned: ['plugin.name', 'slot.name', 'schema.include.list', 'database.dbname'],
  },
  {
    title: 'properties of a sink',
    changes: { topics: 't', 'insert.mode': 'upsert', 'pk.mode': 'record_key', 'auto.create': 'true' },
    warned: ['topics', 'insert.mode', 'pk.mode', 'auto.create'],
  },
  {
    title: 'settings of a worker and of its clients',
    changes: {
      'producer.max.request.size': '1',
      'consumer.group.id': 'g',
      'offset.storage.topic': 'o',
      'group.id': 'g',
    },
    warned: ['producer.max.request.size', 'consumer.group.id', 'offset.storage.topic', 'group.id'],
  },
  {
    title: 'fewer acknowledgements',
    changes: { 'producer.override.acks': '1' },
    warned: ['producer.override.acks'],
  },
  {
    title: 'locks of Percona Server',
    changes: { 'snapshot.locking.mode': 'minimal_percona' },
    warned: ['snapshot.locking.mode'],
  },
  {
    title: 'names of 1.x that others replaced',
    changes: {
      'sanitize.field.names': 'true',
      'event.deserialization.failure.handling.mode': 'warn',
      'heartbeat.topics.prefix': '__hb',
      'snapshot.new.tables': 'parallel',
      'gtid.new.channel.position': 'earliest',
    },
    warned: [
      'sanitize.field.names',
      'event.deserialization.failure.handling.mode',
      'heartbeat.topics.prefix',
      'gtid.new.channel.position',
    ],
  },
  {
    title: 'a beginning of a name',
    changes: { 'heartbeat.interval': '1000' },
    warned: ['heartbeat.interval'],
  },
  {
    title: 'a time precision that Debezium no longer has',
    changes: { 'time.precision.mode': 'adaptive' },
    errors: [/^The 'time\.precision\.mode' value is invalid: Value must be one of/],
  },
  {
    title: 'a transformation of a third party',
    changes: { transforms: 'drop', 'transforms.drop.type': 'io.confluent.connect.transforms.Drop$Value' },
    errors: [
      /third party, which Tributary cannot load\. Remove it, or use .*org\.apache\.kafka\.connect\.transforms\.Filter/,
    ],
  },
]

describe('documents of the same kind', () => {
  let service: Service
  let config: Config

  before(async () => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    service = await startService({ bootstrapServers })
    const prefix = uniqueName('variant')
    await database.query(`CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.t (id INT PRIMARY KEY)`)
    config = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
  })

  after(() => service[Symbol.asyncDispose]())

  for (const { title, changes, errors = [], warned = [] } of variants) {
    test(title, async () => {
      const path = `/connector-plugins/${String(config['connector.class'])}/config/validate?warnings=true`
      const { json, text } = await service.rest('PUT', path, { name: 'variant', ...config, ...changes })
      const { configs, warnings } = json as {
        readonly configs?: readonly { readonly value: { readonly errors: readonly string[] } }[]
        readonly warnings: readonly { readonly property: string; readonly message: string }[]
      }
      assert.ok(configs !== undefined, text)
      const found = configs.flatMap(({ value }) => value.errors)
      assert.equal(found.length, errors.length, found.join('\n'))
      for (const [i, pattern] of errors.entries()) assert.match(found[i] ?? '', pattern)
      const noted = warnings.filter(({ message }) => !ABOUT_TABLES.test(message)).map(({ property }) => property)
      assert.deepEqual(noted.toSorted(), [...warned].toSorted(), JSON.stringify(warnings, null, 2))
    })
  }
})

/** The names of tables in the variants are made up. */
const ABOUT_TABLES = /^(No (database|table|column) that|The include and exclude lists match no table)/
