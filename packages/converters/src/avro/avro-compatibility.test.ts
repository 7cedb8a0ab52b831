import { Schema, Schemas } from '@tributary/connect-api'
import { systemClock } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedRegistry, type Reply, type SeenRequest } from '../testing/scripted-registry.ts'
import { AvroConverter } from './avro-converter.ts'

const schema = Schema.struct([['id', Schemas.int32]], { name: 'p.d.t.Value' })
const { signal } = new AbortController()
const LATEST = '{"type":"record","name":"Value","namespace":"p.d.t","fields":[{"name":"name","type":"string"}]}'

function converter(options: Readonly<Record<string, string>>): AvroConverter {
  const made = new AvroConverter(systemClock)
  made.configure(options, false)
  return made
}

/** A registry with Confluent's interface whose subject has one version, and its answer to a compatibility check. */
function confluentAnswers(compatibility: unknown, level = 'BACKWARD'): (request: SeenRequest) => Reply {
  return ({ method, path }) => {
    if (path.startsWith('/compatibility/')) return { status: 200, body: compatibility }
    if (path.startsWith('/config/')) return { status: 200, body: { compatibilityLevel: level } }
    if (method === 'POST') return { status: 404, body: { error_code: 40_403 } }
    return { status: 200, body: { id: 4, version: 12, schema: LATEST } }
  }
}

/** Native interface of Apicurio Registry 3.0.9, with its answer to a dry run. */
function apicurioAnswers(dryRun: Reply): (request: SeenRequest) => Reply {
  return ({ method, path }) => {
    if (method === 'POST' && path.includes('/search/')) return { status: 200, body: { versions: [] } }
    if (method === 'POST') return dryRun
    if (path.endsWith('/content')) return { status: 200, body: LATEST }
    if (path.endsWith('/rules/COMPATIBILITY')) return { status: 200, body: { config: 'FULL' } }
    return { status: 200, body: { version: '3', globalId: 5, contentId: 4 } }
  }
}

test('the compatibility check reports whether the registry would accept a schema, and registers nothing', async () => {
  await using registry = await scriptedRegistry(confluentAnswers({ is_compatible: true }))
  const made = converter({ 'schema.registry.url': registry.url })
  assert.deepEqual(await made.checkCompatibility(schema, 't', signal), {
    isAccepted: true,
    text: 'subject t-value: compatible with version 12 under BACKWARD',
  })
  registry.reply = confluentAnswers({
    is_compatible: false,
    messages: [
      "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field id has no default value', additionalInfo:'id'}",
      '{oldSchemaVersion: 12}',
      `{oldSchema: '${LATEST}'}`,
      "{compatibility: 'BACKWARD'}",
    ],
  })
  const refused = await made.checkCompatibility(schema, 't', signal)
  assert.equal(refused?.isAccepted, false)
  assert.match(
    refused?.text ?? '',
    /subject t-value: it is not compatible with version 12 under compatibility BACKWARD\. Changed since then: name \(string\) was removed; id \(int\) is new\. The registry reports: The field id has no default value\. No records are lost/,
  )
  const paths = registry.requests.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(paths.slice(0, 4), [
    'POST /subjects/t-value',
    'GET /subjects/t-value/versions/latest',
    'GET /config/t-value?defaultToGlobal=true',
    'POST /compatibility/subjects/t-value/versions/latest?verbose=true',
  ])
  assert.ok(!paths.some((path) => path.startsWith('POST /subjects/t-value/versions')))
})

test('under a transitive level the check compares with all versions, and the refusal does not blame the latest', async () => {
  const messages = ["{errorType:'TYPE_MISMATCH', description:'The type of id differs', additionalInfo:'id'}"]
  const answers = confluentAnswers({ is_compatible: false, messages }, 'FULL_TRANSITIVE')
  await using registry = await scriptedRegistry(answers)
  const made = converter({ 'schema.registry.url': registry.url })
  const refused = await made.checkCompatibility(schema, 't', signal)
  assert.equal(refused?.isAccepted, false)
  assert.match(
    refused?.text ?? '',
    /not compatible with an earlier version under compatibility FULL_TRANSITIVE\. Changed since version 12, the latest: name \(string\) was removed; .*The type of id differs/,
  )
  assert.deepEqual(
    registry.requests.map(({ path }) => path).filter((path) => path.startsWith('/compatibility')),
    ['/compatibility/subjects/t-value/versions?verbose=true'],
  )
})

test('only an error of the schema is a refusal; an error of the login is thrown', async () => {
  await using registry = await scriptedRegistry((request) =>
    request.path.startsWith('/compatibility/') ? { status: 403, body: {} } : confluentAnswers({})(request),
  )
  const made = converter({ 'schema.registry.url': registry.url })
  await assert.rejects(made.checkCompatibility(schema, 't', signal), { code: 'REGISTRY_REFUSES_LOGIN' })
  registry.reply = (request): Reply =>
    request.path.startsWith('/compatibility/')
      ? { status: 422, body: { error_code: 42_201, message: 'Invalid schema' } }
      : confluentAnswers({})(request)
  const invalid = await made.checkCompatibility(schema, 't', signal)
  assert.equal(invalid?.isAccepted, false)
  assert.match(invalid?.text ?? '', /status 422 \(Invalid schema\)/)
  registry.forget()
  const unnamed = await made.checkCompatibility(
    Schema.struct([['a-b', Schemas.int32]], { name: 'p.d.t.Value' }),
    't',
    signal,
  )
  assert.equal(unnamed?.isAccepted, false)
  assert.match(unnamed?.text ?? '', /The name a-b is not valid in an Avro schema/)
  assert.equal(registry.requests.length, 0)
})

test('the check of a schema that exists, is the first of its subject, or has an id returns null', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const made = converter({ 'schema.registry.url': registry.url })
  assert.equal(await made.checkCompatibility(schema, 't', signal), null)
  assert.equal(await made.checkCompatibility(null, 't', signal), null)
  registry.reply = (): Reply => ({ status: 404, body: { error_code: 40_401 } })
  assert.equal(await made.checkCompatibility(schema, 't', signal), null)
  registry.reply = (): Reply => ({ status: 200, body: { id: 1 } })
  await made.register(schema, 't', signal)
  registry.forget()
  assert.equal(await made.checkCompatibility(schema, 't', signal), null)
  assert.equal(registry.requests.length, 0)
})

test('without auto-registration, the check of an unregistered schema is a refusal', async () => {
  await using registry = await scriptedRegistry(confluentAnswers({}))
  const made = converter({ 'schema.registry.url': registry.url, 'auto.register.schemas': 'false' })
  const refused = await made.checkCompatibility(schema, 't', signal)
  assert.equal(refused?.isAccepted, false)
  assert.match(
    refused?.text ?? '',
    /schema of subject t-value is not registered, .* has other fields: name \(string\) was removed/,
  )
})

test('the check asks Apicurio for a dry run, which changes nothing', async () => {
  const accepted = { version: { version: '4', globalId: 6, contentId: 5 } }
  await using registry = await scriptedRegistry(apicurioAnswers({ status: 200, body: accepted }))
  const options = { 'apicurio.registry.url': registry.url, 'apicurio.registry.auto-register': 'true' }
  const made = converter(options)
  assert.deepEqual(await made.checkCompatibility(schema, 't', signal), {
    isAccepted: true,
    text: 'subject t-value: compatible with version 3 under FULL',
  })
  const dryRuns = registry.requests.filter(({ method, path }) => method === 'POST' && path.includes('/artifacts'))
  assert.deepEqual(
    dryRuns.map(({ path }) => path.replace(/^.*\/default/, '')),
    ['/artifacts/t-value/versions?dryRun=true'],
  )
  registry.reply = apicurioAnswers({
    status: 409,
    body: {
      causes: [{ description: 'id', context: '/fields/0' }],
      detail: 'Incompatible artifact: t-value [AVRO]',
      name: 'RuleViolationException',
    },
  })
  const refused = await made.checkCompatibility(schema, 't', signal)
  assert.match(
    refused?.text ?? '',
    /version 3 under compatibility FULL\. Changed .* The registry reports: id at \/fields\/0/,
  )
})

test('under if-exists=FAIL the check of any schema for an existing artifact is a refusal', async () => {
  const found = { versions: [{ version: '3', globalId: 5, contentId: 4 }] }
  await using registry = await scriptedRegistry((request) =>
    request.path.includes('/search/')
      ? { status: 200, body: found }
      : apicurioAnswers({ status: 200, body: {} })(request),
  )
  const options = {
    'apicurio.registry.url': registry.url,
    'apicurio.registry.auto-register': 'true',
    'apicurio.registry.auto-register.if-exists': 'FAIL',
  }
  const refused = await converter(options).checkCompatibility(schema, 't', signal)
  assert.equal(refused?.isAccepted, false)
  assert.match(
    refused?.text ?? '',
    /t-value exists in the registry, and value\.converter\.apicurio\.registry\.auto-register\.if-exists=FAIL forbids adding a version to it\./,
  )
  registry.reply = ({ path }): Reply =>
    path.includes('/search/')
      ? { status: 200, body: { versions: [] } }
      : { status: 404, body: { name: 'ArtifactNotFoundException' } }
  assert.equal(await converter(options).checkCompatibility(schema, 't', signal), null)
})
