import { ConfigDef, type SourceRecord, type TransformationPlugin, type PredicatePlugin } from '@tributary/connect-api'
import { silentLogger } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAt } from '../task/testing/test-record.ts'
import { createStages } from './create-stages.ts'
import { Plugins } from './plugins.ts'

const none = new ConfigDef([])

const Archive: TransformationPlugin = {
  type: 'transformation',
  className: 'example.Archive',
  version: '1',
  config: none,
  create: () => ({
    configure: () => undefined,
    apply: (record) => ({ ...record, topic: 'archive' }),
  }),
}

const IsOld: PredicatePlugin = {
  type: 'predicate',
  className: 'example.IsOld',
  version: '1',
  config: none,
  create: () => ({ configure: () => undefined, test: ({ topic }) => topic === 'old' }),
}

const plugins = new Plugins([Archive, IsOld])

/** The topic of a record of `topic` after the stages of a configuration. */
function topicAfter(topic: string, config: Record<string, string>): string | undefined {
  const stages = createStages(
    plugins,
    { transforms: 'a', 'transforms.a.type': 'example.Archive', ...config },
    {
      logger: silentLogger,
    },
  )
  const record: SourceRecord = { ...recordAt(1), topic }
  return stages.reduce<SourceRecord | null>((current, { stage }) => current && stage.apply(current), record)?.topic
}

const conditional = {
  'transforms.a.predicate': 'p',
  predicates: 'p',
  'predicates.p.type': 'example.IsOld',
}

test('a transformation applies to all records, or to those that its predicate accepts, or to the others', () => {
  assert.equal(topicAfter('new', {}), 'archive')
  assert.equal(topicAfter('new', conditional), 'new')
  assert.equal(topicAfter('old', conditional), 'archive')
  const negated = { ...conditional, 'transforms.a.negate': 'true' }
  assert.equal(topicAfter('new', negated), 'archive')
  assert.equal(topicAfter('old', negated), 'old')
})

test('a transformation whose predicate is not defined does not start: it would change all records', () => {
  const { predicates: _, ...undefinedPredicate } = conditional
  assert.throws(() => topicAfter('new', undefinedPredicate), { code: 'PREDICATE_UNKNOWN' })
})
