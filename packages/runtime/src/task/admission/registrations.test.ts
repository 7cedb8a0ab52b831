import { Schema, type SourceRecord } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerAhead } from './registrations.ts'
import { RegisteringConverter } from '../testing/registering-converter.ts'
import { recordAt } from '../testing/test-record.ts'
import { TextConverter } from '../testing/text-converter.ts'

const { signal } = new AbortController()
const [first, second] = ['first', 'second'].map((name) => Schema.of('string', { name })) as [Schema, Schema]

function record(topic: string, valueSchema: Schema): SourceRecord {
  return recordAt(1, { topic, valueSchema })
}

test('schemas are registered side by side, those of one topic in the order of the records', async () => {
  const converter = new RegisteringConverter()
  const { promise, resolve } = Promise.withResolvers<void>()
  converter.answer = () => promise
  const records = [record('a', first), record('a', first), record('b', first), record('a', second), record('c', second)]
  const done = registerAhead({ keyConverter: new TextConverter(), valueConverter: converter }, records, signal)
  assert.deepEqual(converter.attempts, ['a first', 'b first', 'c second'])
  resolve()
  await done
  assert.deepEqual(converter.attempts, ['a first', 'b first', 'c second', 'a second'])
})

test('schemas of one sequence are registered in the order of the records', async () => {
  const converter = new RegisteringConverter()
  for (const topic of ['a', 'b']) converter.sequences.set(topic, 'shared')
  // Later requests are answered sooner.
  let turns = 8
  converter.answer = async () => {
    for (let i = (turns -= 2); i > 0; i--) await Promise.resolve()
  }
  const third = Schema.of('string', { name: 'third' })
  const records = [record('a', first), record('a', second), record('c', first), record('b', third), record('a', third)]
  await registerAhead({ keyConverter: new TextConverter(), valueConverter: converter }, records, signal)
  const shared = converter.attempts.filter((attempt) => !attempt.startsWith('c'))
  assert.deepEqual(shared, ['a first', 'a second', 'b third', 'a third'])
})

test('registering ahead ends at the first failure; the schemas that remain are registered with their records', async () => {
  const converter = new RegisteringConverter(() => new Error('refused'))
  const topics = Array.from({ length: 100 }, (_, i) => record(`t${i}`, first))
  await registerAhead({ keyConverter: new TextConverter(), valueConverter: converter }, topics, signal)
  assert.ok(converter.attempts.length < 10)
})

test('a converter without registrations is not called', async () => {
  const plain = new TextConverter()
  await registerAhead({ keyConverter: plain, valueConverter: plain }, [record('a', first)], signal)
  assert.deepEqual(plain.requested, [])
})
