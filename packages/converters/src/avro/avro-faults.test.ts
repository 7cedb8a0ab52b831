/**
 * The errors that users see of a schema registry. The answers are recordings of real registries, or documented ones.
 */
import { Schema, Schemas } from '@tributary/connect-api'
import { StoppedError, systemClock } from '@tributary/support'
import { fakeClock, fullTest } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { refusal } from '../testing/registry-cases.ts'
import { scriptedRegistry, type Reply, type ScriptedRegistry, type SeenRequest } from '../testing/scripted-registry.ts'
import { AvroConverter } from './avro-converter.ts'
import { AvroReader } from './avro-reader.ts'

const schema = Schema.struct([['id', Schemas.int32]], { name: 'p.d.t.Value' })
const { signal } = new AbortController()

function converter(options: Readonly<Record<string, string>>): AvroConverter {
  const made = new AvroConverter(systemClock)
  made.configure(options, false)
  return made
}

function confluent(registry: ScriptedRegistry, more: Readonly<Record<string, string>> = {}): AvroConverter {
  return converter({ 'schema.registry.url': registry.url, ...more })
}

function apicurio(registry: ScriptedRegistry, more: Readonly<Record<string, string>> = {}): AvroConverter {
  return converter({ 'apicurio.registry.url': registry.url, 'apicurio.registry.auto-register': 'true', ...more })
}

const LATEST = '{"type":"record","name":"Value","namespace":"p.d.t","fields":[{"name":"name","type":"string"}]}'
/** The answer of RESTEasy in Apicurio Registry 3.0.9 for an unknown path. */
const NO_SUCH_PATH = {
  detail: 'NotFoundException: RESTEASY003210: Could not find resource for full path: http://h/nope',
  title: 'RESTEASY003210: Could not find resource for full path: http://h/nope',
  status: 404,
  name: 'NotFoundException',
}

test('status 404 without the name of what is missing is an error of the address, and the error names the property', async () => {
  const bodies = [NO_SUCH_PATH, { error_code: 404, message: 'HTTP 404 Not Found' }, '<html>', {}]
  for (const body of bodies) {
    await using registry = await scriptedRegistry(() => ({ status: 404, body }))
    const options = { 'schema.registry.url': `${registry.url}/base/` }
    const ways = [{}, { 'auto.register.schemas': 'false' }]
    for (const way of [...ways, { 'auto.register.schemas': 'false', 'use.latest.version': 'true' }]) {
      const error = await refusal(converter({ ...options, ...way }).register(schema, 't', signal))
      assert.equal(error.code, 'REGISTRY_PATH_UNKNOWN')
      assert.ok(error.message.includes(`${registry.url}/base/subjects/t-value`), error.message)
      assert.match(error.message, /Set value\.converter\.schema\.registry\.url to the address including the path/)
    }
    const native = await refusal(apicurio(registry).register(schema, 't', signal))
    assert.equal(native.code, 'REGISTRY_PATH_UNKNOWN')
    assert.match(native.message, /\/apis\/registry\/v3\/groups\/default\/artifacts: status 404/)
    assert.match(native.message, /Set value\.converter\.apicurio\.registry\.url/)
  }
})

test('status 404 that names a missing subject, version or schema is an error of an unregistered schema', async () => {
  for (const code of [40_401, 40_402, 40_403]) {
    await using registry = await scriptedRegistry(() => ({ status: 404, body: { error_code: code, message: 'no' } }))
    for (const usesLatest of ['false', 'true']) {
      const more = { 'auto.register.schemas': 'false', 'use.latest.version': usesLatest }
      const error = await refusal(confluent(registry, more).register(schema, 't', signal))
      assert.equal(error.code, 'SCHEMA_NOT_REGISTERED')
      assert.match(
        error.message,
        /value\.converter\.auto\.register\.schemas is false\. Nothing is registered under it\./,
      )
    }
  }
  for (const name of ['ArtifactNotFoundException', 'VersionNotFoundException', 'GroupNotFoundException']) {
    await using registry = await scriptedRegistry(() => ({ status: 404, body: { name, status: 404 } }))
    const more = { 'apicurio.registry.auto-register': 'false', 'apicurio.registry.find-latest': 'true' }
    const error = await refusal(apicurio(registry, more).register(schema, 't', signal))
    assert.equal(error.code, 'SCHEMA_NOT_REGISTERED')
    assert.match(error.message, /value\.converter\.apicurio\.registry\.auto-register is false/)
  }
})

test('the error for an unregistered schema shows its beginning and the differences from the latest version', async () => {
  const wide = Schema.struct(
    Array.from({ length: 1_000 }, (_, i) => [`column_${i}`, Schemas.int32] as const),
    { name: 'p.d.t.Value' },
  )
  await using registry = await scriptedRegistry(({ method }) =>
    method === 'POST'
      ? { status: 404, body: { error_code: 40_403, message: 'Schema not found' } }
      : { status: 200, body: { id: 4, version: 12, schema: LATEST } },
  )
  const error = await refusal(confluent(registry, { 'auto.register.schemas': 'false' }).register(wide, 't', signal))
  assert.match(
    error.message,
    /Version 12, the latest, has other fields: name \(string\) was removed; column_0 \(int\) is new/,
  )
  assert.ok(error.message.length < 1_500, String(error.message.length))
})

test('the error contains the complaints of the registry without the schemas that it repeats', async () => {
  const long = 'x'.repeat(5_000)
  const cases: readonly (readonly [body: unknown, complaint: RegExp])[] = [
    // Confluent Platform 7.
    [
      {
        error_code: 409,
        message: `Schema being registered is incompatible with an earlier schema for subject "t-value", details: [{errorType:"READER_FIELD_MISSING_DEFAULT_VALUE", description:"The field 'id' at path '/fields/0' in the new schema has no default value and is missing in the old schema", additionalInfo:"id"}, {oldSchemaVersion: 12}, {oldSchema: "${long}"}, {validateFields: 'false', compatibility: 'BACKWARD'}]`,
      },
      /The registry reports: The field 'id' at path '\/fields\/0' in the new schema has no default value and is missing in the old schema\./,
    ],
    // Confluent Platform 7.1.
    [
      {
        error_code: 409,
        message: `incompatible, details: [Incompatibility{type:TYPE_MISMATCH, location:/fields/2/type, message:reader type: DOUBLE not compatible with writer type: STRING, reader:"double", writer:"${long}"}]`,
      },
      /The registry reports: reader type: DOUBLE not compatible with writer type: STRING\./,
    ],
    // Confluent Platform 6.
    [
      { error_code: 409, message: 'Schema being registered is incompatible' },
      /The registry reports: Schema being registered is/,
    ],
  ]
  for (const [body, complaint] of cases) {
    await using registry = await scriptedRegistry(({ method, path }) => {
      if (method === 'POST') return { status: 409, body }
      if (path.startsWith('/config/')) return { status: 403, body: {} }
      return { status: 200, body: { id: 4, version: 12, schema: LATEST } }
    })
    const error = await refusal(confluent(registry).register(schema, 't', signal))
    assert.equal(error.code, 'SCHEMA_INCOMPATIBLE')
    assert.match(error.message, complaint)
    // Not every account may read the level.
    assert.match(error.message, /version 12 under compatibility \(not known\)\. Changed since then: name/)
    assert.ok(error.message.includes(`(PUT ${registry.url}/config/t-value with {"compatibility":"NONE"})`))
    assert.ok(error.message.length < 1_500, String(error.message.length))
  }
})

/** Native interface of Apicurio Registry 3.0.9: an artifact with one version, and the answer to a registration. */
function apicurioAnswers(refused: unknown): (request: SeenRequest) => Reply {
  return ({ method, path }) => {
    if (method === 'POST' && path.includes('/search/')) return { status: 200, body: { versions: [] } }
    if (method === 'POST') return { status: 409, body: refused }
    if (path.endsWith('/content')) return { status: 200, body: LATEST }
    if (path.endsWith('/admin/rules/COMPATIBILITY')) return { status: 200, body: { config: 'FULL' } }
    if (path.includes('/rules/')) return { status: 404, body: { name: 'RuleNotFoundException' } }
    return { status: 200, body: { version: '3', globalId: 5, contentId: 4 } }
  }
}

test('Apicurio’s status 409 becomes the error of its reason: a compatibility rule, an invalid schema, or an existing artifact', async () => {
  const cases: readonly (readonly [body: unknown, code: string, text: RegExp])[] = [
    [
      {
        causes: [{ description: 'id', context: '/fields/0' }],
        detail: 'Incompatible artifact: t-value [AVRO], num of incompatible diffs: {1}',
        name: 'RuleViolationException',
      },
      'SCHEMA_INCOMPATIBLE',
      /version 3 under compatibility FULL\. Changed since then: .*\. The registry reports: id at \/fields\/0\. .*PUT \S+\/apis\/registry\/v3\/groups\/default\/artifacts\/t-value\/rules\/COMPATIBILITY/,
    ],
    [
      { causes: [], detail: 'Syntax violation for Avro artifact.', name: 'RuleViolationException' },
      'SCHEMA_REFUSED',
      /status 409 \(Syntax violation/,
    ],
    [
      {
        detail: "ArtifactAlreadyExistsException: An artifact with ID 't-value' in group 'default' already exists.",
        name: 'ArtifactAlreadyExistsException',
      },
      'SCHEMA_EXISTS',
      /t-value exists in the registry, and value\.converter\.apicurio\.registry\.auto-register\.if-exists=FAIL/,
    ],
  ]
  for (const [body, code, text] of cases) {
    await using registry = await scriptedRegistry(apicurioAnswers(body))
    const more = { 'apicurio.registry.auto-register.if-exists': 'FAIL' }
    const error = await refusal(apicurio(registry, more).register(schema, 't', signal))
    assert.equal(error.code, code)
    assert.match(error.message, text)
    assert.doesNotMatch(error.message, /schema\.registry|PUT \S*\/config/)
  }
})

test('the action names the options of the configured kind of registry', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 401, body: {} }))
  const login = async (made: AvroConverter): Promise<string> =>
    (await refusal(made.register(schema, 't', signal))).action
  assert.match(
    await login(confluent(registry)),
    /value\.converter\.basic\.auth\.user\.info or value\.converter\.bearer/,
  )
  assert.match(await login(apicurio(registry)), /value\.converter\.apicurio\.registry\.auth\.username and/)
  assert.doesNotMatch(await login(apicurio(registry)), /basic\.auth|bearer/)
  registry.reply = ({ path }): Reply =>
    path.endsWith('/content')
      ? { status: 200, body: LATEST }
      : { status: 200, body: { version: '3', globalId: 5, contentId: 4 } }
  const latest = { 'apicurio.registry.auto-register': 'false', 'apicurio.registry.find-latest': 'true' }
  const { action } = await refusal(apicurio(registry, latest).register(schema, 't', signal))
  assert.match(
    action,
    /value\.converter\.apicurio\.registry\.find-latest=false and value\.converter\.apicurio\.registry\.auto-register=true/,
  )
})

test('pendingFailure describes a request that has been in flight for five seconds', async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Reply>()]
  await using registry = await scriptedRegistry(() => {
    asked.resolve()
    return answer.promise
  })
  const clock = fakeClock()
  const made = new AvroConverter(clock)
  made.configure({ 'schema.registry.url': registry.url }, false)
  assert.equal(made.pendingFailure(), null)
  const work = made.register(schema, 't', signal)
  await asked.promise
  await clock.advance(4_999)
  assert.equal(made.pendingFailure(), null)
  await clock.advance(1)
  assert.match(
    made.pendingFailure()?.message ?? '',
    /for the schema of subject t-value: 127\.0\.0\.1:\d+ has received the request and has not answered for 5 s\. .* that value\.converter\.schema\.registry\.url is its address/,
  )
  answer.resolve({ status: 200, body: { id: 1 } })
  await work
  assert.equal(made.pendingFailure(), null)
})

test('pendingFailure reports a missing connection until TLS is established', async (context) => {
  const [accepted, stop, clock] = [Promise.withResolvers<void>(), new AbortController(), fakeClock()]
  const sockets: Socket[] = []
  // Accepts connections and does not answer the TLS handshake.
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => accepted.resolve())
  })
  context.after(() => {
    stop.abort()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const made = new AvroConverter(clock)
  made.configure({ 'schema.registry.url': `https://127.0.0.1:${port}` }, false)
  const work = made.register(schema, 't', stop.signal)
  await accepted.promise
  await clock.advance(7_900)
  assert.match(
    made.pendingFailure()?.message ?? '',
    new RegExp(`: no connection to 127\\.0\\.0\\.1:${port} for 7 s\\. `),
  )
  stop.abort()
  await assert.rejects(work, StoppedError)
})

test('a check divides its limit among all addresses, so that silent ones do not use it up', async () => {
  const silent = (): Promise<Reply> => new Promise(() => undefined)
  await using first = await scriptedRegistry(silent)
  await using second = await scriptedRegistry(silent)
  await using third = await scriptedRegistry(() => ({ status: 200, body: ['AVRO'] }))
  // The limit of each attempt in milliseconds. The timers of this clock fire at once.
  const attempts: number[] = []
  let nowMs = 0
  const made = new AvroConverter({
    ...systemClock,
    now: () => nowMs,
    after: (ms, run) => {
      attempts.push(ms)
      if (attempts.length > 2) return { cancel: () => undefined }
      nowMs += ms
      queueMicrotask(run)
      return { cancel: () => undefined }
    },
  })
  made.configure({ 'schema.registry.url': `${first.url},${second.url},${third.url}` }, false)
  await made.check(signal)
  assert.deepEqual(attempts, [3_333, 3_333, 3_334])
})

fullTest('the reader caches the schemas of a thousand ids, and all that the current values need', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { schema: '"int"' } }))
  const reader = new AvroReader({ 'schema.registry.url': registry.url }, false)
  const valueOf = (id: number): Buffer => {
    const bytes = Buffer.alloc(6)
    bytes.writeInt32BE(id, 1)
    bytes[5] = 4
    return bytes
  }
  const first = Array.from({ length: 1_000 }, (_, i) => valueOf(i))
  await reader.loadSchemas(first, signal)
  await reader.loadSchemas([valueOf(0), valueOf(5_000)], signal)
  assert.deepEqual([registry.requests.length, reader.read(valueOf(5_000)), reader.read(valueOf(0))], [1_001, '2', '2'])
  // The least recently used one was evicted.
  assert.equal(reader.read(valueOf(1)), null)
  await reader.loadSchemas([valueOf(1)], signal)
  assert.equal(reader.read(valueOf(1)), '2')
})

fullTest('an id is cached without the text of its schema: thousands of wide tables need little memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const made = confluent(registry)
  const registerOne = async (i: number): Promise<void> => {
    const fields = Array.from({ length: 1_500 }, (_, f) => [`a_column_with_a_long_name_${f}`, Schemas.int32] as const)
    await made.register(Schema.struct(fields, { name: `p.d.t${i}.Value` }), `p.d.t${i}`, signal)
    registry.forget()
  }
  await registerOne(0)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let i = 1; i <= 200; i++) await registerOne(i)
  collect()
  const grown = process.memoryUsage().heapUsed - before
  // The texts alone are 20 MB.
  assert.ok(grown < 6e6, `the heap has grown by ${grown} bytes`)
})
