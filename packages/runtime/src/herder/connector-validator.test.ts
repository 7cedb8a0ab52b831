import { jsonConverterPlugin, simpleHeaderConverterPlugin } from '@tributary/converters'
import type { ConfigMap, Converter } from '@tributary/connect-api'
import { defineErrors, StoppedError } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Plugins } from '../plugins/plugins.ts'
import { TicksConnector, ticksConfig, ticksPlugin } from '../testing/ticks-plugin.ts'
import { validateConnector } from './connector-validator.ts'
import { SameThreadChecks } from './same-thread-checks.ts'
import { RequestError } from '../rest/request-error.ts'
import { answerTo } from './testing/herder-fixture.ts'

const never = new AbortController().signal

type Config = Readonly<Record<string, string | null>>

/** A converter that needs a service; `outside` is the service's answer. */
let outside: () => Promise<void> = () => Promise.resolve()

const askingConverterPlugin = {
  type: 'converter',
  className: 'org.example.AskingConverter',
  version: '1',
  create: (): Converter => ({
    configure: () => undefined,
    check: () => outside(),
    encoderFor: () => assert.fail('nothing is converted'),
  }),
} as const

const WORKER = { 'bootstrap.servers': 'broker:9092' }

function validate(
  config: Config,
  connector: TicksConnector = new TicksConnector(),
  workerProperties: ConfigMap = WORKER,
): Promise<Config> {
  const plugins = new Plugins([
    ticksPlugin(connector),
    jsonConverterPlugin,
    simpleHeaderConverterPlugin,
    askingConverterPlugin,
  ])
  return answered(
    validateConnector({ plugins, checks: new SameThreadChecks({ plugins, workerProperties }) }, config, never),
  )
}

/** Rejects with the answer of the REST interface instead of the herder's error. */
function answered<T>(validation: Promise<T>): Promise<T> {
  return validation.catch((error: unknown) => {
    throw answerTo(error)
  })
}

/** The refusals of a configuration, without the sentences around them. */
async function refusals(config: Config, connector?: TicksConnector, worker?: ConfigMap): Promise<readonly string[]> {
  try {
    await validate(config, connector, worker)
    return []
  } catch (error) {
    assert.ok(error instanceof RequestError)
    const { status, message } = error
    assert.equal(status, 400)
    const [first = '', ...lines] = message.split('\n')
    assert.equal(first, `Connector configuration is invalid and contains the following ${lines.length - 1} error(s):`)
    assert.equal(
      lines.pop(),
      'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
    )
    return lines
  }
}

test('a valid configuration is returned unchanged', async () => {
  const config = ticksConfig('c', { 'unknown.property': 'x' })
  assert.deepEqual(await validate(config), config)
})

test('all errors are reported at once: Connect’s own properties, then the connector’s, in order of definition', async () => {
  const config = { ...ticksConfig('c', { 'tasks.max': '0', 'errors.tolerance': 'some' }), 'interval.ms': 'soon' }
  assert.deepEqual(await refusals(config), [
    'Invalid value 0 for configuration tasks.max: Value must be at least 1',
    'Invalid value some for configuration errors.tolerance: String must be one of: none, all',
    'Invalid value soon for configuration interval.ms: Not a number of type INT',
  ])
})

test('the connector asks the outside world only when everything else is valid', async () => {
  const connector = new TicksConnector()
  const asked: string[] = []
  connector.check = (config) => {
    asked.push(config['interval.ms'] ?? '')
    return Promise.resolve({ 'interval.ms': ['The clock is not there'] })
  }
  assert.equal((await refusals(ticksConfig('c', { 'interval.ms': 'soon' }), connector)).length, 1)
  assert.deepEqual(asked, [])
  assert.deepEqual(await refusals(ticksConfig('c'), connector), ['The clock is not there'])
  assert.deepEqual(asked, ['1000'])
})

test('a property with JSON null is refused, known or not', async () => {
  assert.deepEqual(await refusals({ ...ticksConfig('c'), 'ticks.password': null, whatever: null }), [
    'Null value can not be supplied as the configuration value.',
    'Null value can not be supplied as the configuration value.',
  ])
})

test('a converter with wrong options, and a client that cannot be created, are refused with the property', async () => {
  const [converter = '', ...none] = await refusals(
    ticksConfig('c', {
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.decimal.format': 'ROMAN',
    }),
  )
  assert.match(converter, /^Invalid settings of value\.converter: .*decimal\.format/)
  const [client = ''] = await refusals(ticksConfig('c', { 'producer.override.compression.type': 'rar' }))
  assert.match(client, /^Invalid settings of producer\.override\.compression\.type: .*compression\.type/)
  const [login = ''] = await refusals(
    ticksConfig('c', {
      'topic.creation.default.partitions': '1',
      'topic.creation.default.replication.factor': '1',
      'admin.override.security.protocol': 'SASL_SSL',
      'admin.override.sasl.mechanism': 'GSSAPI',
    }),
  )
  assert.match(login, /^Invalid settings of admin\.override\.sasl\.mechanism: .*GSSAPI is not supported/)
  assert.equal(none.length, 0)
})

test('exactly-once support is checked with the texts of Connect', async () => {
  const enabled = { 'bootstrap.servers': 'broker:9092', 'exactly.once.source.support': 'enabled' }
  const config = ticksConfig('c', { 'exactly.once.support': 'required', 'transaction.boundary': 'connector' })
  const boundaries =
    'Invalid value connector for configuration transaction.boundary: The connector does not support connector-defined transaction boundaries with the given configuration. Please reconfigure it to use a different transaction boundary definition.'
  const [disabled, unknown, ...others] = await refusals(config)
  assert.match(disabled ?? '', /This worker does not have exactly-once source support enabled\.$/)
  assert.match(unknown ?? '', /does not implement the API required for preflight validation/)
  assert.deepEqual(
    others.map((text) => text.replace(/^.*?: /, '')),
    [boundaries.replace(/^.*?: /, '')],
  )
  assert.equal((await refusals(config, undefined, enabled)).length, 2)
  assert.deepEqual(await refusals(ticksConfig('c', { 'exactly.once.support': 'requested' })), [])
  const invalid = await refusals(
    ticksConfig('c', {
      'transaction.boundary': 'never',
      'transaction.boundary.interval.ms': '-1',
      'offsets.storage.topic': '',
    }),
  )
  assert.equal(invalid.length, 3, invalid.join())
})

test('topic creation is checked with the texts of Connect, unless the worker forbids it', async () => {
  const config = ticksConfig('c', { 'topic.creation.default.partitions': '0', 'topic.creation.groups': 'a' })
  assert.deepEqual(await refusals(config), [
    'Missing required configuration "topic.creation.default.replication.factor" which has no default value.',
    "Invalid value 0 for configuration topic.creation.default.partitions: Number of partitions must be positive, or -1 to use the broker's default",
  ])
  const worker = { 'bootstrap.servers': 'broker:9092', 'topic.creation.enable': 'false' }
  assert.deepEqual(await refusals(config, undefined, worker), [])
})

test('overrides of clients are refused by the policy and by their type; those of an admin client only if there is one', async () => {
  const worker = {
    'bootstrap.servers': 'broker:9092',
    'connector.client.config.override.policy': 'Allowlist',
    'connector.client.config.override.allowlist': 'linger.ms,batch.size',
  }
  const config = ticksConfig('c', {
    'producer.override.linger.ms': '5',
    'producer.override.batch.size': 'x',
    'producer.override.acks': '1',
    'admin.override.retries': '5',
  })
  const acks = "The 'Allowlist' policy does not allow 'acks' to be overridden in the connector configuration."
  const batchSize = 'Invalid value x for configuration batch.size: Not a number of type INT'
  assert.deepEqual((await refusals(config, undefined, worker)).toSorted(), [batchSize, acks])
  const creating = {
    'topic.creation.default.partitions': '1',
    'topic.creation.default.replication.factor': '1',
    ...config,
  }
  assert.deepEqual((await refusals(creating, undefined, worker)).toSorted(), [
    batchSize,
    acks,
    "The 'Allowlist' policy does not allow 'retries' to be overridden in the connector configuration.",
  ])
})

test('the error for a missing class shows no secrets', async () => {
  const config = {
    'database.user': 'debezium',
    'database.password': 'dbz',
    'producer.override.sasl.jaas.config': 'x',
    'signal.consumer.ssl.keystore.key': 'y',
    name: 'c',
  }
  await assert.rejects(validate(config), {
    status: 400,
    message:
      'Connector config {database.user=debezium, database.password=[hidden], producer.override.sasl.jaas.config=[hidden], signal.consumer.ssl.keystore.key=[hidden], name=c} contains no connector type',
  })
})

test('an error of the connector is status 500 with its causes; so is a stop of the worker', async () => {
  const connector = new TicksConnector()
  const errors = defineErrors({ GONE: { message: 'the clock is gone', action: '' } })
  connector.check = () => Promise.reject(errors.GONE({}, new Error('EPIPE')))
  await assert.rejects(validate(ticksConfig('c'), connector), { status: 500, message: 'the clock is gone ← EPIPE' })
  connector.check = () => Promise.reject(new StoppedError())
  await assert.rejects(validate(ticksConfig('c'), connector), { status: 500, message: 'Worker is shutting down' })
})

/** Validates with the provider `env`, which may read only PATH. */
function validateWithReferences(config: Config, connector: TicksConnector): Promise<Config> {
  const workerProperties = {
    'bootstrap.servers': 'broker:9092',
    'config.providers': 'env',
    'config.providers.env.class': 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
    'config.providers.env.param.allowlist.pattern': 'PATH',
  }
  const plugins = new Plugins([ticksPlugin(connector)])
  const checks = new SameThreadChecks({ plugins, workerProperties })
  return answered(validateConnector({ plugins, checks }, config, never))
}

test('the connector checks the values of references; results and errors show the references', async () => {
  const connector = new TicksConnector()
  const seen: string[] = []
  connector.check = (config) => {
    const value = config['ticks.password'] ?? ''
    seen.push(value)
    return Promise.resolve({ 'ticks.password': [`${value} is not on the clock`] })
  }
  const config = ticksConfig('c', { 'ticks.password': '${env:PATH}' })
  await assert.rejects(validateWithReferences(config, connector), (error: Error) => {
    assert.match(error.message, /^\$\{env:PATH\} is not on the clock$/m)
    return true
  })
  assert.doesNotMatch(seen.join(), /^$|\$\{/)
  connector.check = () => Promise.resolve({})
  assert.deepEqual(await validateWithReferences(config, connector), config)
})

test('errors about an invalid value of a reference, and of the check itself, show the reference', async () => {
  const connector = new TicksConnector()
  const wrong = ticksConfig('c', { 'interval.ms': '${env:PATH}' })
  await assert.rejects(validateWithReferences(wrong, connector), {
    message: /Invalid value \$\{env:PATH\} for configuration interval\.ms: Not a number of type INT/,
  })
  connector.check = (config) => Promise.reject(new Error(`broken: ${config['ticks.password']}`))
  const right = ticksConfig('c', { 'ticks.password': '${env:PATH}' })
  await assert.rejects(validateWithReferences(right, connector), { status: 500, message: 'broken: ${env:PATH}' })
})

test('a reference without a value is refused with the property, before any other check', async () => {
  const connector = new TicksConnector()
  connector.check = () => assert.fail('the connector was asked')
  const config = ticksConfig('c', { 'ticks.password': '${env:HOME}' })
  await assert.rejects(validateWithReferences(config, connector), {
    status: 400,
    message:
      /^ticks\.password refers to \$\{env:HOME\}, which has no value: allowlist\.pattern \(PATH\) does not allow/m,
  })
})

test('a reference to an unknown provider is refused, not taken for the value', async () => {
  const connector = new TicksConnector()
  for (const value of ['${vault:secret/db:password}', ' ${file:/run/secret:key} ']) {
    await assert.rejects(validateWithReferences(ticksConfig('c', { 'interval.name': value }), connector), {
      status: 400,
      message:
        /^interval\.name refers to \$\{(vault|file):.*, which has no value: the worker has no config provider named/m,
    })
  }
  // A reference within a text is not refused.
  const config = ticksConfig('c', { 'interval.name': 'a${x:y}', 'other.name': '${topic}' })
  assert.deepEqual(await validateWithReferences(config, connector), config)
})

test('a converter that the connector names checks the service that it needs', async () => {
  const { GONE } = defineErrors({ GONE: { message: 'The registry is gone.', action: '' } })
  const config = ticksConfig('c', { 'value.converter': 'org.example.AskingConverter' })
  outside = () => Promise.reject(GONE({}))
  assert.deepEqual(await refusals(config), ['Invalid settings of value.converter: The registry is gone.'])
  outside = () => Promise.reject(new StoppedError())
  await assert.rejects(validate(config), { status: 500 })
  outside = () => Promise.resolve()
  assert.deepEqual(await refusals(config), [])
})
