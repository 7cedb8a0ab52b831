import { ConfigDef, type ConfigMap } from '@tributary/connect-api'
import { debeziumMessages, TableId } from '@tributary/connector-kit'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { mysqlKind } from '../connector-kind.ts'
import { notedProperties } from '../noted-properties.ts'
import { typedConfig } from './connector-config.ts'
import { connectorKeys } from './connector-keys.ts'

/** A strategy of Debezium with options, and the names that it makes (fixtures/README.md). */
interface Recorded {
  readonly strategy: string
  readonly options: ConfigMap
  readonly schemaChanges: string
  readonly heartbeat: string
  readonly transaction: string
  readonly tables: readonly (readonly [
    database: string,
    table: string,
    topic: string,
    keyField: readonly [name: string, value: string] | null,
  ])[]
}

const recorded = readFileSync(new URL('../../fixtures/topic-names/topics.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

const definition = new ConfigDef(connectorKeys(mysqlKind), debeziumMessages)
const REGEX = 'io.debezium.schema.DefaultRegexTopicNamingStrategy'

function configOf(changes: ConfigMap): ConfigMap {
  return {
    'topic.prefix': 'p',
    'database.hostname': 'mysql',
    'database.user': 'debezium',
    'database.server.id': '184054',
    'schema.history.internal.kafka.topic': 'history',
    'schema.history.internal.kafka.bootstrap.servers': 'broker:9092',
    ...changes,
  }
}

function refusalsOf(changes: ConfigMap): readonly string[] {
  return definition.validate(configOf(changes)).flatMap(({ errors }) => errors)
}

test('each strategy names topics and the field of keys as Debezium does', () => {
  let tables = 0
  for (const { strategy, options, ...expected } of recorded) {
    const always = { 'heartbeat.interval.ms': '1', 'provide.transaction.metadata': 'true' }
    const config = configOf({ ...options, ...always, 'topic.naming.strategy': strategy })
    const { naming, transactionTopic, heartbeat } = typedConfig(definition.parse(config), config)
    const topics = expected.tables.map(([database, table]) => {
      const { name, keyField } = naming.topicOf(TableId.of(database, table))
      return [database, table, name, keyField === null ? null : [keyField.name, keyField.value]]
    })
    assert.deepEqual(
      {
        schemaChanges: naming.schemaChangeTopic,
        heartbeat: heartbeat?.topic,
        transaction: transactionTopic,
        tables: topics,
      },
      expected,
      `${strategy} with ${JSON.stringify(options)}`,
    )
    tables += topics.length
  }
  assert.equal(tables, 34 * 13)
})

test('a strategy with Regex needs its options, and each is checked', () => {
  const table: readonly (readonly [options: ConfigMap, refusals: readonly RegExp[]])[] = [
    [{}, [/'topic.regex' .*A value is required/, /'topic.replacement' .*A value is required/]],
    [{ 'topic.regex': 'a(' }, [/'topic.regex'/, /'topic.replacement' .*A value is required/]],
    [{ 'topic.regex': '(.*)', 'topic.replacement': '$2' }, [/'topic.replacement' .*no group 2/]],
    [{ 'topic.regex': '(?=a)', 'topic.replacement': 'b' }, [/'topic.regex'/]],
    [
      { 'topic.regex': 'a', 'topic.replacement': 'b', 'topic.key.field.regex': '(c)' },
      [/'topic.key.field.replacement' .*must be non-empty if topic.key.field.regex is set/],
    ],
    [{ 'topic.regex': '(.*)', 'topic.replacement': '$1' }, []],
  ]
  for (const [options, expected] of table) {
    const refusals = refusalsOf({ ...options, 'topic.naming.strategy': REGEX })
    assert.equal(refusals.length, expected.length, refusals.join('\n'))
    for (const [i, pattern] of expected.entries()) assert.match(refusals[i] ?? '', pattern)
  }
})

test('a class that Tributary does not have is refused with those that it has', () => {
  assert.match(
    refusalsOf({ 'topic.naming.strategy': 'com.example.Mine' }).join(),
    /'com\.example\.Mine' is not one of those that it has: io\.debezium\.schema\.DefaultTopicNamingStrategy, .*RegexRouter/,
  )
})

test('a delimiter that no topic name may contain is refused in Debezium’s words', () => {
  assert.deepEqual(refusalsOf({ 'topic.delimiter': '/' }), [
    "The 'topic.delimiter' value is invalid: / has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)",
  ])
})

test('options of a route without such a strategy are reported', () => {
  const config = configOf({ 'topic.regex': 'a', 'topic.replacement': 'b' })
  assert.deepEqual(
    notedProperties(mysqlKind, config).map(({ name }) => name),
    ['topic.regex', 'topic.replacement'],
  )
  assert.deepEqual(notedProperties(mysqlKind, { ...config, 'topic.naming.strategy': REGEX }), [])
})
