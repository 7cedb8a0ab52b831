import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTopicText, TopicCreation } from './topic-creation.ts'
import { topicCreationDefinition } from './topic-creation-keys.ts'
import { topicCreationNotes } from './topic-creation-notes.ts'

const DEFAULTS = { 'topic.creation.default.partitions': '3', 'topic.creation.default.replication.factor': '1' }

/** The errors of Connect 4.3.1 for the same properties (SourceConnectorConfig). */
function errorsOf(config: Record<string, string>): readonly string[] {
  return topicCreationDefinition(config)
    .validate(config)
    .flatMap(({ errors }) => errors)
}

test('a configuration without any of the properties creates no topics', () => {
  assert.equal(TopicCreation.of({ name: 'c', 'topic.prefix': 'p' }), null)
})

test('the first listed group that includes and does not exclude the whole name counts, then the default group', () => {
  const creation = TopicCreation.of({
    ...DEFAULTS,
    'topic.creation.groups': 'b, a, bare',
    'topic.creation.a.include': 'shop\\..*, bank\\..*',
    'topic.creation.a.partitions': '1',
    'topic.creation.b.include': 'shop\\.o.*',
    'topic.creation.b.exclude': 'shop\\.old, .*_tmp',
    'topic.creation.b.replication.factor': '-1',
    'topic.creation.b.retention.ms': '60000',
    'topic.creation.default.include': 'nothing',
    'topic.creation.default.exclude': '.*',
    'topic.creation.default.cleanup.policy': 'compact',
  })
  const plans = ['shop.orders', 'shop.old', 'shop.o_tmp', 'bank.x', 'the.shop.orders', ''].map((name) => {
    const planned = creation?.plan(name)
    return [name, planned?.group, planned?.topic.partitions, planned?.topic.replicationFactor, planned?.topic.configs]
  })
  assert.deepEqual(plans, [
    ['shop.orders', 'b', 3, -1, { 'retention.ms': '60000' }],
    ['shop.old', 'a', 1, 1, {}],
    ['shop.o_tmp', 'a', 1, 1, {}],
    ['bank.x', 'a', 1, 1, {}],
    ['the.shop.orders', 'default', 3, 1, { 'cleanup.policy': 'compact' }],
    ['', 'default', 3, 1, { 'cleanup.policy': 'compact' }],
  ])
})

test('both properties of the default group are required as soon as there is any property', () => {
  assert.deepEqual(errorsOf({ 'topic.creation.groups': '' }), [
    'Missing required configuration "topic.creation.default.replication.factor" which has no default value.',
    'Missing required configuration "topic.creation.default.partitions" which has no default value.',
  ])
})

test('values are refused with the texts of Connect', () => {
  const config = {
    ...DEFAULTS,
    'topic.creation.groups': 'a,b,default',
    'topic.creation.default.partitions': '0',
    'topic.creation.a.partitions': 'many',
    'topic.creation.a.replication.factor': '0',
    'topic.creation.a.include': 'ok.*, a(',
    'topic.creation.b.replication.factor': '40000',
  }
  const [pattern = '', ...others] = errorsOf(config).toSorted((a, b) => Number(/\[ok/.test(b)) - Number(/\[ok/.test(a)))
  assert.match(
    pattern,
    /^Invalid value \[ok\.\*, a\(\] for configuration topic\.creation\.a\.include: Syntax error in regular expression: ./,
  )
  assert.deepEqual(others, [
    "Invalid value 0 for configuration topic.creation.default.partitions: Number of partitions must be positive, or -1 to use the broker's default",
    "Invalid value 0 for configuration topic.creation.a.replication.factor: Replication factor must be positive and not larger than the number of brokers in the Kafka cluster, or -1 to use the broker's default",
    'Invalid value many for configuration topic.creation.a.partitions: Not a number of type INT',
    'Invalid value 40000 for configuration topic.creation.b.replication.factor: Not a number of type SHORT',
  ])
})

test('properties that nobody reads are noted', () => {
  const config = {
    ...DEFAULTS,
    'topic.creation.groups': 'a,default',
    'topic.creation.a.include': '.*',
    'topic.creation.lost.partitions': '4',
    'topic.creation.default.include': '.*',
  }
  const notes = topicCreationNotes({}, config)
  assert.deepEqual(Object.keys(notes), [
    'topic.creation.groups',
    'topic.creation.lost.partitions',
    'topic.creation.default.include',
  ])
  assert.match(notes['topic.creation.lost.partitions'] ?? '', /does not list the group lost$/)

  const disabled = topicCreationNotes({ 'topic.creation.enable': 'false' }, config)
  assert.match(Object.values(disabled).join(), /^topic\.creation\.… has no effect: the worker forbids it/)
  assert.deepEqual(topicCreationNotes({ 'topic.creation.enable': 'false' }, { name: 'c' }), {})
})

test('a topic is described as in Java', () => {
  const text = newTopicText({ name: 't', partitions: -1, replicationFactor: 2, configs: { a: '1', b: 'x' } })
  assert.equal(text, '(name=t, numPartitions=-1, replicationFactor=2, replicasAssignments=null, configs={a=1, b=x})')
})
