import { Schema, Schemas, Struct } from '@tributary/connect-api'
import { ByteWriter, StoppedError, systemClock, type Clock } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../testing/registry-cases.ts'
import { scriptedRegistry, type Reply } from '../testing/scripted-registry.ts'
import { AvroConverter } from './avro-converter.ts'

const schema = Schema.struct([['id', Schemas.int32]], { name: 'p.d.t.Value' })
const value = new Struct(schema, [1])
const { signal } = new AbortController()

function converter(options: Readonly<Record<string, string>>, clock: Clock = systemClock): AvroConverter {
  const made = new AvroConverter(clock)
  made.configure(options, false)
  return made
}

function bytesOf(made: AvroConverter, of: Schema = schema, struct: Struct = value): string {
  const out = new ByteWriter()
  assert.equal(made.encoderFor(of, 'p.d.t').write(struct, out), true)
  return out.copy().toString('hex')
}

const registered = (id: number) => (): Reply => ({ status: 200, body: { id } })

test('a schema is registered once per subject, and its id is written before each value', async () => {
  await using registry = await scriptedRegistry(registered(0x01020304))
  const made = converter({ 'schema.registry.url': `${registry.url}/base/` })
  assert.equal(made.isRegistered(schema, 'p.d.t'), false)
  await made.register(schema, 'p.d.t', signal)
  assert.equal(made.isRegistered(schema, 'p.d.t'), true)
  assert.equal(bytesOf(made), '000102030402')
  // A second object for the same schema.
  const same = Schema.struct([['id', Schemas.int32]], { name: 'p.d.t.Value' })
  await made.register(same, 'p.d.t', signal)
  assert.equal(bytesOf(made, same, new Struct(same, [1])), '000102030402')
  assert.deepEqual(
    registry.requests.map(({ method, path, body }) => [method, path, body]),
    [
      [
        'POST',
        '/base/subjects/p.d.t-value/versions',
        {
          schema:
            '{"type":"record","name":"Value","namespace":"p.d.t","fields":[{"name":"id","type":"int"}],"connect.name":"p.d.t.Value"}',
        },
      ],
    ],
  )
})

test('null is Kafka’s null and needs no schema; a value without a schema is refused', () => {
  const made = converter({ 'schema.registry.url': 'http://localhost:1' })
  assert.equal(made.isRegistered(null, 't'), true)
  const encoder = made.encoderFor(null, 't')
  assert.equal(encoder.write(null, new ByteWriter()), false)
  assert.throws(() => encoder.write('x', new ByteWriter()), { code: 'AVRO_NO_SCHEMA' })
})

test('the strategy names the subject', async () => {
  await using registry = await scriptedRegistry(registered(1))
  const prefix = 'io.confluent.kafka.serializers.subject.'
  for (const strategy of ['RecordNameStrategy', 'TopicRecordNameStrategy']) {
    const made = converter({
      'schema.registry.url': registry.url,
      'value.subject.name.strategy': prefix + strategy,
      'normalize.schemas': 'true',
    })
    await made.register(schema, 'topic/1', signal)
  }
  assert.deepEqual(
    registry.requests.map(({ path }) => path),
    ['/subjects/p.d.t.Value/versions?normalize=true', '/subjects/topic%2F1-p.d.t.Value/versions?normalize=true'],
  )
})

test('strategies use the name in the Avro schema, also for scrubbed names and for unnamed records', async () => {
  await using registry = await scriptedRegistry(registered(1))
  const made = converter({
    'schema.registry.url': registry.url,
    'value.subject.name.strategy': 'RecordNameStrategy',
    'scrub.invalid.names': 'true',
  })
  const named = (name: string): Schema => Schema.struct([['id', Schemas.int32]], { name })
  await made.register(named('my-shop.d.t.Value'), 't', signal)
  await made.register(Schema.struct([['id', Schemas.int32]]), 't', signal)
  await made.register(Schemas.string, 't', signal)
  assert.deepEqual(
    registry.requests.map(({ path }) => path),
    [
      '/subjects/my_shop.d.t.Value/versions',
      '/subjects/io.confluent.connect.avro.ConnectDefault/versions',
      '/subjects/t-value/versions',
    ],
  )
})

test('records within a schema are registered in Apicurio as artifacts of their own, once, in the group of the strategy', async () => {
  let version = 0
  await using registry = await scriptedRegistry(() => {
    version += 1
    return { status: 200, body: { version: { contentId: version, globalId: version, version: `${version}` } } }
  })
  const inner = Schema.struct([['id', Schemas.int32]], { name: 'p.Inner', optional: true })
  const outer = (name: string): Schema =>
    Schema.struct(
      [
        ['before', inner],
        ['after', inner],
      ],
      { name },
    )
  const made = converter({
    'apicurio.registry.url': registry.url,
    'apicurio.registry.auto-register': 'true',
    'apicurio.registry.artifact-resolver-strategy': 'io.apicurio.registry.serde.avro.strategy.TopicRecordIdStrategy',
  })
  await Promise.all([made.register(outer('p.A'), 't', signal), made.register(outer('q.B'), 't', signal)])
  const reference = { artifactId: 'p.Inner', version: '1', name: 'p.Inner' }
  assert.deepEqual(
    registry.requests.map(({ path, body }) => {
      const { artifactId, firstVersion } = body as {
        readonly artifactId: string
        readonly firstVersion: { readonly content: { readonly content: string; readonly references?: unknown } }
      }
      return [path.split('/')[5], artifactId, firstVersion.content.references]
    }),
    [
      ['p', 'p.Inner', undefined],
      ['p', 't-A', [reference, reference]],
      ['q', 't-B', [reference, reference]],
    ],
  )
  assert.match(registry.requests[1]?.text ?? '', /\[\\"null\\",\\"Inner\\"\]/)
})

test('an optional record is a union for Confluent’s registry and a plain record for Apicurio’s, as in their converters', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1, version: { contentId: 1 } } }))
  const optional = schema.with({ optional: true })
  const confluent = converter({ 'schema.registry.url': registry.url })
  await confluent.register(optional, 't', signal)
  const encoded = (made: AvroConverter): string => {
    const out = new ByteWriter()
    made.encoderFor(optional, 't').write(new Struct(optional, [1]), out)
    return out.copy().toString('hex')
  }
  assert.equal(encoded(confluent), '00000000010202')
  const apicurio = converter({ 'apicurio.registry.url': registry.url, 'apicurio.registry.auto-register': 'true' })
  await apicurio.register(optional, 't', signal)
  assert.equal(encoded(apicurio), '000000000102')
})

test('the login is in the options or in the URL', async () => {
  await using registry = await scriptedRegistry(registered(1))
  const basic = `Basic ${Buffer.from('anna:pass:word').toString('base64')}`
  for (const [options, expected] of [
    [{ 'basic.auth.credentials.source': 'USER_INFO', 'basic.auth.user.info': 'anna:pass:word' }, basic],
    [{ 'bearer.auth.credentials.source': 'STATIC_TOKEN', 'bearer.auth.token': 'abc' }, 'Bearer abc'],
    [{ 'schema.registry.url': registry.url.replace('//', '//anna:pass%3Aword@') }, basic],
    [{}, undefined],
  ] as const) {
    await converter({ 'schema.registry.url': registry.url, ...options }).register(schema, 't', signal)
    assert.equal(registry.requests.at(-1)?.headers.authorization, expected)
  }
})

test('when one address fails, the next is tried; the one that answered is tried first afterwards', async () => {
  await using broken = await scriptedRegistry(() => ({ status: 503, body: { message: 'no leader' } }))
  await using registry = await scriptedRegistry(registered(7))
  const made = converter({ 'schema.registry.url': `http://127.0.0.1:1,${broken.url},${registry.url}` })
  await made.register(schema, 't', signal)
  await made.register(schema, 'u', signal)
  assert.deepEqual([broken.requests.length, registry.requests.length], [1, 2])
})

test('when no address answers, the error is retriable and names the reason for each address', async () => {
  await using broken = await scriptedRegistry(() => ({
    status: 500,
    body: { error_code: 50_003, message: 'no leader' },
  }))
  await using cut = await scriptedRegistry(() => null)
  const made = converter({ 'schema.registry.url': `${broken.url},${cut.url}` })
  const error = await refusal(made.register(schema, 't', signal))
  assert.deepEqual([error.code, error.isRetriable], ['REGISTRY_UNAVAILABLE', true])
  assert.match(
    error.message,
    /subject t-value: 127\.0\.0\.1:\d+ answered 500 \(no leader\); 127\.0\.0\.1:\d+: socket hang up/,
  )
  broken.reply = registered(3)
  await made.register(schema, 't', signal)
  assert.equal(made.isRegistered(schema, 't'), true)
})

test('an address that does not answer within the limit counts as unreachable', async () => {
  await using slow = await scriptedRegistry(() => new Promise<Reply>(() => undefined))
  const made = converter({ 'schema.registry.url': slow.url, 'http.read.timeout.ms': '20' })
  const error = await refusal(made.register(schema, 't', signal))
  assert.equal(error.code, 'REGISTRY_UNAVAILABLE')
  assert.match(error.message, /no answer within 20 ms/)
})

test('stopping aborts a request', async () => {
  const stop = new AbortController()
  await using slow = await scriptedRegistry(() => {
    stop.abort()
    return new Promise<Reply>(() => undefined)
  })
  await assert.rejects(converter({ 'schema.registry.url': slow.url }).register(schema, 't', stop.signal), StoppedError)
})

test('errors that waiting does not fix have a code of their own and are not retriable', async () => {
  const table: readonly (readonly [status: number, code: string, text: RegExp])[] = [
    [401, 'REGISTRY_REFUSES_LOGIN', /subject t-value: status 401 \(reason\)/],
    [403, 'REGISTRY_REFUSES_LOGIN', /subject t-value: status 403 \(reason\)/],
    [404, 'REGISTRY_PATH_UNKNOWN', /\/subjects\/t-value\/versions: status 404 \(reason\)/],
    [422, 'SCHEMA_REFUSED', /subject t-value: status 422 \(reason\)/],
  ]
  for (const [status, code, text] of table) {
    await using registry = await scriptedRegistry(() => ({ status, body: { message: 'reason' } }))
    const error = await refusal(converter({ 'schema.registry.url': registry.url }).register(schema, 't', signal))
    assert.deepEqual([error.code, error.isRetriable], [code, false])
    assert.match(error.message, text)
  }
})

test('a check reports an unreachable registry, a refused login and an address of another server', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: ['AVRO'] }))
  const options = { 'schema.registry.url': `${registry.url}/base` }
  await converter(options).check(signal)
  assert.deepEqual([registry.requests[0]?.method, registry.requests[0]?.path], ['GET', '/base/schemas/types'])
  registry.reply = (): Reply => ({ status: 403, body: {} })
  await converter(options).check(signal)
  for (const [reply, code] of [
    [{ status: 401, body: { message: 'who' } }, 'REGISTRY_REFUSES_LOGIN'],
    [{ status: 404, body: '<html>' }, 'REGISTRY_PATH_UNKNOWN'],
    [{ status: 200, body: '<html>' }, 'REGISTRY_ANSWER'],
    [{ status: 503, body: {} }, 'REGISTRY_NOT_REACHED'],
    [null, 'REGISTRY_NOT_REACHED'],
  ] as const) {
    registry.reply = (): Reply => reply
    assert.equal((await refusal(converter(options).check(signal))).code, code)
  }
  registry.reply = (): Reply => ({ status: 200, body: { name: 'Apicurio' } })
  await converter({ 'apicurio.registry.url': registry.url }).check(signal)
  assert.equal(registry.requests.at(-1)?.path, '/apis/registry/v3/system/info')
})

test('an answer that is not JSON is an error', async () => {
  await using page = await scriptedRegistry(() => ({ status: 200, body: '<html>' }))
  const error = await refusal(converter({ 'schema.registry.url': page.url }).register(schema, 't', signal))
  assert.equal(error.code, 'REGISTRY_ANSWER')
})

test('an incompatible schema names the version, the level and the fields', async () => {
  const latest = '{"type":"record","name":"Value","namespace":"p.d.t","fields":[{"name":"name","type":"string"}]}'
  await using registry = await scriptedRegistry(({ method, path }) => {
    if (method === 'POST') return { status: 409, body: { error_code: 409, message: 'incompatible' } }
    if (path.startsWith('/config/')) return { status: 200, body: { compatibilityLevel: 'FULL' } }
    return { status: 200, body: { id: 4, version: 12, schema: latest } }
  })
  const error = await refusal(converter({ 'schema.registry.url': registry.url }).register(schema, 't', signal))
  assert.equal(error.code, 'SCHEMA_INCOMPATIBLE')
  assert.match(
    error.message,
    /subject t-value: .* version 12 under compatibility FULL\. Changed since then: name \(string\) was removed; id \(int\) is new\./,
  )
})

test('without auto-registration the schema must exist, or the latest version must have the same fields', async () => {
  const own =
    '{"type":"record","name":"Other","doc":"by hand","fields":[{"name":"id","type":{"type":"int","x":1},"default":0}]}'
  await using registry = await scriptedRegistry(({ method }) =>
    method === 'POST'
      ? { status: 404, body: { error_code: 40_403 } }
      : { status: 200, body: { id: 9, version: 2, schema: own } },
  )
  const options = { 'schema.registry.url': registry.url, 'auto.register.schemas': 'false' }
  const missing = await refusal(converter(options).register(schema, 't', signal))
  assert.equal(missing.code, 'SCHEMA_NOT_REGISTERED')
  assert.equal(registry.requests[0]?.path, '/subjects/t-value')
  const latest = converter({ ...options, 'use.latest.version': 'true' })
  await latest.register(schema, 'p.d.t', signal)
  assert.equal(bytesOf(latest), '000000000902')
  const wider = Schema.struct([['id', Schemas.int64]], { name: 'p.d.t.Value' })
  const differs = await refusal(latest.register(wider, 'p.d.t', signal))
  assert.equal(differs.code, 'SCHEMA_NOT_THE_LATEST')
  assert.match(differs.message, /with version 2 of subject p\.d\.t-value, the latest: id was int, is long/)
})

test('Apicurio’s id has eight bytes or is in a header when the options ask for it', async () => {
  await using registry = await scriptedRegistry(() => ({
    status: 200,
    body: { version: { globalId: 5, contentId: 4 } },
  }))
  const options = { 'apicurio.registry.url': registry.url, 'apicurio.registry.auto-register': 'true' }
  const long = converter({
    ...options,
    'apicurio.registry.id-handler': 'io.apicurio.registry.serde.Legacy8ByteIdHandler',
  })
  await long.register(schema, 'p.d.t', signal)
  assert.equal(bytesOf(long), '00000000000000000402')
  const inHeader = converter({
    ...options,
    'apicurio.registry.headers.enabled': 'true',
    'apicurio.registry.use-id': 'globalId',
    'apicurio.registry.artifact-resolver-strategy': 'io.apicurio.registry.serde.avro.strategy.RecordIdStrategy',
  })
  await inHeader.register(schema, 'p.d.t', signal)
  assert.equal(bytesOf(inHeader), '02')
  const headers = inHeader.encoderFor(schema, 'p.d.t').headers ?? []
  assert.deepEqual(
    headers.map(({ key, value: bytes }) => [key.toString(), bytes?.toString('hex')]),
    [
      ['apicurio.value.globalId', '0000000000000005'],
      ['apicurio.value.encoding', Buffer.from('BINARY').toString('hex')],
    ],
  )
  assert.deepEqual(
    registry.requests.map(({ path }) => path),
    [
      '/apis/registry/v3/groups/default/artifacts?ifExists=FIND_OR_CREATE_VERSION',
      '/apis/registry/v3/groups/p.d.t/artifacts?ifExists=FIND_OR_CREATE_VERSION',
    ],
  )
})

test('an invalid option is refused by name, and no secret is shown', () => {
  const url = { 'schema.registry.url': 'http://localhost:8081' }
  for (const [options, name] of [
    [{}, 'schema.registry.url'],
    [{ 'schema.registry.url': 'localhost:8081' }, 'schema.registry.url'],
    [{ ...url, 'basic.auth.credentials.source': 'USER_INFO' }, 'basic.auth.user.info'],
    [{ ...url, 'basic.auth.credentials.source': 'SASL_INHERIT' }, 'basic.auth.credentials.source'],
    [{ ...url, 'bearer.auth.credentials.source': 'OAUTHBEARER' }, 'bearer.auth.credentials.source'],
    [{ ...url, 'value.subject.name.strategy': 'com.example.Mine' }, 'value.subject.name.strategy'],
    [{ ...url, 'generalized.sum.type.support': 'true' }, 'generalized.sum.type.support'],
    [{ ...url, 'http.read.timeout.ms': '0' }, 'http.read.timeout.ms'],
    [{ ...url, 'use.schema.id': '5' }, 'use.schema.id'],
    [{ ...url, 'value.schema.id.serializer': 'x.HeaderSchemaIdSerializer' }, 'value.schema.id.serializer'],
    [
      { 'apicurio.registry.url': 'http://h', 'apicurio.registry.artifact.version': '3' },
      'apicurio.registry.artifact.version',
    ],
    [{ ...url, 'schema.registry.ssl.truststore.location': '/no/where.pem' }, 'schema.registry.ssl.truststore.location'],
    [
      { ...url, 'schema.registry.ssl.keystore.location': '/no/where', 'schema.registry.ssl.keystore.type': 'JKS' },
      'schema.registry.ssl.keystore.type',
    ],
    [{ 'apicurio.registry.url': 'http://localhost/apis/registry/v2' }, 'apicurio.registry.url'],
    [
      { 'apicurio.registry.url': 'http://localhost', 'apicurio.registry.id-handler': 'x.Mine' },
      'apicurio.registry.id-handler',
    ],
  ] as const) {
    assert.throws(() => converter(options), {
      code: 'CONVERTER_OPTION',
      message: new RegExp(`option ${name.replaceAll('.', '\\.')}=`),
    })
  }
  const withSecrets = [
    'ftp://anna:secret@host',
    'http://anna:sec/secret@host:1',
    'http://anna:secret,x@h',
    'http://anna:secret%zz@h',
  ]
  for (const url of withSecrets) {
    assert.throws(
      () => converter({ 'schema.registry.url': url }),
      (error: Error) => !error.message.includes('secret') && error.message.includes('(address 1)'),
      url,
    )
  }
})

test('a name that Avro does not accept is an error of registration, not of the question whether the schema is registered', async () => {
  const unnamed = Schema.struct([['first-name', Schemas.string]], { name: 'p.d.t.Value' })
  const made = converter({ 'schema.registry.url': 'http://localhost:1' })
  assert.equal(made.isRegistered(unnamed, 't'), false)
  await assert.rejects(made.register(unnamed, 't', signal), { code: 'AVRO_NAME_INVALID' })
})

test('Apicurio receives the exact text of the schema, with defaults that JavaScript numbers cannot represent', async () => {
  const wide = Schema.struct([
    ['d', Schema.of('double', { defaultValue: 1 })],
    ['l', Schema.of('int64', { defaultValue: 9_223_372_036_854_775_807n })],
  ])
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { versions: [{ contentId: 3 }] } }))
  const made = converter({ 'apicurio.registry.url': registry.url })
  await made.register(wide, 't', signal)
  const [request] = registry.requests
  assert.ok(request !== undefined)
  const { path, text } = request
  assert.match(path, /\/search\/versions\?/)
  assert.match(text, /"default":1\.0/)
  assert.match(text, /"default":9223372036854775807/)
})
