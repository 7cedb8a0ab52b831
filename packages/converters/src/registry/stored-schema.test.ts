import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AvroReader } from '../avro/avro-reader.ts'
import { scriptedRegistry, type Reply } from '../testing/scripted-registry.ts'

const { signal } = new AbortController()
const outer =
  '{"type":"record","name":"Outer","namespace":"p","fields":[{"name":"a","type":"Inner"},{"name":"b","type":["null","Inner"]}]}'
const inner = '{"type":"record","name":"Inner","namespace":"p","fields":[{"name":"id","type":"q.Id"}]}'
const id = '{"type":"record","name":"Id","namespace":"q","fields":[{"name":"n","type":"int"}]}'
// Id 3; a is {1}, b is {2}.
const value = Buffer.from('00000000030202'.padEnd(16, '04'), 'hex')

test('a value whose schema refers to others is read with the answers of Apicurio Registry 3.0.9', async () => {
  const confluent: Readonly<Record<string, unknown>> = {
    '/schemas/ids/3': { schema: outer, references: Array(2).fill({ name: 'p.Inner', subject: 'p.Inner', version: 7 }) },
    '/subjects/p.Inner/versions/7': { schema: inner, references: [{ name: 'q.Id', subject: 'q.Id', version: 1 }] },
    '/subjects/q.Id/versions/1': { schema: id },
  }
  const apicurio: Readonly<Record<string, unknown>> = {
    '/ids/contentIds/3': outer,
    '/ids/contentIds/3/references': Array(2).fill({ artifactId: 'p.Inner', version: '7', name: 'p.Inner' }),
    '/groups/default/artifacts/p.Inner/versions/7/content': inner,
    '/groups/default/artifacts/p.Inner/versions/7/references': [{ groupId: 'g', artifactId: 'q.Id', version: '1' }],
    '/groups/g/artifacts/q.Id/versions/1/content': id,
    '/groups/g/artifacts/q.Id/versions/1/references': [],
  }
  for (const [property, answers] of Object.entries({
    'schema.registry.url': confluent,
    'apicurio.registry.url': apicurio,
  })) {
    await using registry = await scriptedRegistry(({ path }): Reply => {
      const body = answers[path.replace('/apis/registry/v3', '')]
      return body === undefined ? { status: 404, body: { message: path } } : { status: 200, body }
    })
    const reader = new AvroReader({ [property]: registry.url }, false, (_, error) => assert.fail(error))
    await reader.loadSchemas([value], signal)
    assert.equal(reader.read(value), '{"a":{"id":{"n":1}},"b":{"id":{"n":2}}}')
    assert.equal(registry.requests.length, Object.keys(answers).length)
  }
})

test('a schema that is only the name of a type, as that of an outbox key, is read from both registries', async () => {
  const text = Buffer.from('000000000306616263', 'hex')
  const answers: Readonly<Record<string, unknown>> = {
    '/schemas/ids/3': { schema: '"string"' },
    '/ids/contentIds/3': '"string"',
    '/ids/contentIds/3/references': [],
  }
  for (const property of ['schema.registry.url', 'apicurio.registry.url']) {
    await using registry = await scriptedRegistry(({ path }): Reply => {
      return { status: 200, body: answers[path.replace('/apis/registry/v3', '')] }
    })
    const reader = new AvroReader({ [property]: registry.url }, false, (_, error) => assert.fail(error))
    await reader.loadSchemas([text], signal)
    assert.equal(reader.read(text), '"abc"')
  }
})
