import { Schema, Schemas, Struct } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AvroReader } from '../avro/avro-reader.ts'
import { refusal, tableSchema as schema } from '../testing/registry-cases.ts'
import { scriptedRegistry, type Reply, type ScriptedRegistry } from '../testing/scripted-registry.ts'
import { JsonSchemaConverter } from './json-schema-converter.ts'

const { signal } = new AbortController()

function converter(registry: ScriptedRegistry, options: Readonly<Record<string, string>> = {}): JsonSchemaConverter {
  const made = new JsonSchemaConverter()
  made.configure({ 'schema.registry.url': registry.url, ...options }, false)
  return made
}

/** The latest version of the subject, as Confluent's converter registered it for a table without `name`. */
const OLDER =
  '{"type":"object","title":"p.d.t.Value","properties":{"id":{"type":"integer","connect.index":0,"connect.type":"int64"},"x":{"connect.index":1,"oneOf":[{"type":"null"},{"type":"string"}]}}}'
const latest = (text: string): Reply => ({
  status: 200,
  body: { subject: 't-value', version: 3, id: 7, schemaType: 'JSON', schema: text },
})

test('an incompatible schema is refused with the properties that differ and the complaint of the registry', async () => {
  await using registry = await scriptedRegistry(({ method, path }): Reply => {
    if (path.endsWith('/versions/latest')) return latest(OLDER)
    if (path.startsWith('/config/')) return { status: 200, body: { compatibilityLevel: 'BACKWARD' } }
    // In the form that Confluent's registry has since 7.3.
    const message =
      'Schema being registered is incompatible with an earlier schema for subject "t-value", details: [{errorType:"PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL", description:"The new schema removes a property", additionalInfo:""}]'
    assert.equal(method, 'POST')
    return { status: 409, body: { error_code: 409, message } }
  })
  const error = await refusal(converter(registry).register(schema, 't', signal))
  assert.equal(error.code, 'SCHEMA_INCOMPATIBLE')
  assert.match(error.message, /not compatible with version 3 under compatibility BACKWARD/)
  assert.match(error.message, /x \(null or string\) was removed; name \(null or string\) is new/)
  assert.match(error.message, /The registry reports: The new schema removes a property/)
})

test('a schema that the registry does not have is refused if registration is off', async () => {
  await using registry = await scriptedRegistry(({ path }): Reply => {
    return path.endsWith('/latest') ? latest(OLDER) : { status: 404, body: { error_code: 40_403, message: 'no' } }
  })
  const error = await refusal(converter(registry, { 'auto.register.schemas': 'false' }).register(schema, 't', signal))
  assert.equal(error.code, 'SCHEMA_NOT_REGISTERED')
  assert.match(error.message, /Version 3, the latest, has other fields: x \(null or string\) was removed/)
})

test('the latest version is used if its properties and their types are the same, in any order', async () => {
  const options = { 'auto.register.schemas': 'false', 'use.latest.version': 'true' }
  const same =
    '{"title":"Other","type":"object","properties":{"name":{"oneOf":[{"type":"null"},{"type":"string","description":"d"}]},"id":{"type":"integer"}}}'
  await using registry = await scriptedRegistry(() => latest(same))
  const made = converter(registry, options)
  await made.register(schema, 't', signal)
  const out = new ByteWriter()
  assert.ok(made.encoderFor(schema, 't').write(null, out) === false)
  registry.reply = () => latest(OLDER)
  const error = await refusal(converter(registry, options).register(schema, 't', signal))
  assert.equal(error.code, 'SCHEMA_NOT_THE_LATEST')
  registry.reply = () => latest('syntax = "proto3";')
  const other = await refusal(converter(registry, options).register(schema, 't', signal))
  assert.match(other.message, /the registered schema cannot be read as JSON Schema/)
})

test('the record name is that of the schema, and names the subject if the strategy says so', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const strategy = 'io.confluent.kafka.serializers.subject.TopicRecordNameStrategy'
  await converter(registry, { 'value.subject.name.strategy': strategy }).register(schema, 't', signal)
  assert.equal(registry.requests[0]?.path, '/subjects/t-p.d.t.Value/versions')
})

test('values without a schema, and options that would change what is written, are refused by name', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const made = converter(registry)
  assert.throws(() => made.encoderFor(null, 't').write('x', new ByteWriter()), { code: 'FORMAT_NO_SCHEMA' })
  assert.equal(made.encoderFor(null, 't').write(null, new ByteWriter()), false)
  for (const name of ['json.indent.output', 'generalized.sum.type.support']) {
    assert.throws(
      () => converter(registry, { [name]: 'true' }),
      (error) => error instanceof CodedError && error.message.includes(`${name}=true`),
    )
  }
  assert.throws(
    () => new JsonSchemaConverter().configure({ 'apicurio.registry.url': registry.url }, false),
    /schema\.registry\.url.*ccompat/,
  )
})

test('a union of Confluent’s own is refused, since its values would have another form', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const union = Schema.struct([['a', Schemas.optionalString]], { name: 'io.confluent.connect.json.OneOf' })
  const error = await refusal(converter(registry).register(union, 't', signal))
  assert.equal(error.code, 'JSON_SCHEMA_KIND')
})

test('the reader shows values of JSON Schema', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { schemaType: 'JSON', schema: OLDER } }))
  const reader = new AvroReader({ 'schema.registry.url': registry.url }, false, (_, error) => assert.fail(error))
  const value = Buffer.from('\0\0\0\0\x01{"id":1}')
  await reader.loadSchemas([value], signal)
  assert.equal(reader.read(value), '{"id":1}')
})

test('a value is the id, big-endian after a zero, and the payload; the registry gets the schema as JSON', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 258 } }))
  const made = converter(registry)
  await made.register(schema, 't', signal)
  const [request] = registry.requests
  assert.equal(request?.path, '/subjects/t-value/versions')
  assert.partialDeepStrictEqual(request?.body, { schemaType: 'JSON' })
  const out = new ByteWriter()
  const encoder = made.encoderFor(schema, 't')
  assert.ok(encoder.write(new Struct(schema, [7, null]), out))
  assert.deepEqual(out.copy(), Buffer.from('\0\0\0\x01\x02{"id":7,"name":null}'))
})
