import { Schema, Schemas, Struct } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal, tableSchema as schema } from '../testing/registry-cases.ts'
import { scriptedRegistry, type Reply, type ScriptedRegistry } from '../testing/scripted-registry.ts'
import { ProtobufConverter } from './protobuf-converter.ts'

const { signal } = new AbortController()

function converter(registry: ScriptedRegistry, options: Readonly<Record<string, string>> = {}): ProtobufConverter {
  const made = new ProtobufConverter()
  made.configure({ 'schema.registry.url': registry.url, ...options }, false)
  return made
}

const latest = (text: string): Reply => ({
  status: 200,
  body: { subject: 't-value', version: 3, id: 7, schemaType: 'PROTOBUF', schema: text },
})

test('a value is the id, the position of the message and its fields; the registry gets the text as Protobuf', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 258 } }))
  const made = converter(registry)
  await made.register(schema, 't', signal)
  assert.equal(registry.requests[0]?.path, '/subjects/t-value/versions')
  assert.partialDeepStrictEqual(registry.requests[0]?.body, { schemaType: 'PROTOBUF' })
  const out = new ByteWriter()
  const encoder = made.encoderFor(schema, 't')
  assert.ok(encoder.write(new Struct(schema, [7, 'a']), out))
  assert.deepEqual([...out.copy()], [0, 0, 0, 1, 2, 0, 8, 7, 18, 1, 97])
  assert.equal(encoder.write(null, out), false)
})

test('the latest version is used if its fields have the same numbers and types', async () => {
  const options = { 'auto.register.schemas': 'false', 'use.latest.version': 'true' }
  const same =
    'syntax = "proto3";\npackage other;\n\nmessage Value {\n  string name = 2;\n  int32 id = 1 [(confluent.field_meta) = {\n    params: [\n      {\n        key: "k",\n        value: "v"\n      }\n    ]\n  }];\n}\n'
  await using registry = await scriptedRegistry(() => latest(same))
  await converter(registry, options).register(schema, 't', signal)
  registry.reply = () => latest(same.replace('name = 2', 'name = 3'))
  const error = await refusal(converter(registry, options).register(schema, 't', signal))
  assert.equal(error.code, 'SCHEMA_NOT_THE_LATEST')
  assert.match(error.message, /Value: string name = 3 was removed/)
  registry.reply = () => latest('{"type":"object"}')
  const other = await refusal(converter(registry, options).register(schema, 't', signal))
  assert.match(other.message, /the registered schema cannot be read as Protobuf/)
})

test('names that Protobuf does not accept are refused, or changed on request', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const odd = Schema.struct([['a b', Schemas.int32]], { name: 'p.Value' })
  const error = await refusal(converter(registry).register(odd, 't', signal))
  assert.equal(error.code, 'PROTOBUF_NAME')
  assert.match(error.message, /The name a b in p\.Value is not usable/)
  await converter(registry, { 'scrub.invalid.names': 'true' }).register(odd, 't', signal)
  assert.match(registry.requests.at(-1)?.text ?? '', /int32 a_b = 1;/)
})

test('two columns that would have one name are refused', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const twice = Schema.struct(
    [
      ['a b', Schemas.int32],
      ['a-b', Schemas.int32],
    ],
    { name: 'p.Value' },
  )
  const error = await refusal(converter(registry, { 'scrub.invalid.names': 'true' }).register(twice, 't', signal))
  assert.match(error.message, /two fields have it/)
})

test('maps, nested lists and two structs of one name are refused with the field', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const inner = (type: Schema): Schema => Schema.struct([['x', type]], { name: 'q.Inner' })
  const table = [
    [Schema.map(Schemas.string, Schemas.string), /S\.f \(map\).*maps are not supported/],
    [Schema.array(Schema.array(Schemas.int32)), /S\.f \(array\).*cannot be nested/],
  ] as const
  for (const [type, message] of table) {
    const error = await refusal(converter(registry).register(Schema.struct([['f', type]], { name: 'S' }), 't', signal))
    assert.match(error.message, message)
  }
  const two = Schema.struct(
    [
      ['a', inner(Schemas.int32)],
      ['b', inner(Schemas.string)],
    ],
    { name: 'S' },
  )
  assert.match((await refusal(converter(registry).register(two, 't', signal))).message, /two different structs/)
})

test('a value without a schema is refused', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const encoder = converter(registry).encoderFor(null, 't')
  assert.throws(() => encoder.write('x', new ByteWriter()), { code: 'FORMAT_NO_SCHEMA' })
})
