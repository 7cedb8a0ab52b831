import { mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { jsonConverterPlugin, simpleHeaderConverterPlugin } from '@tributary/converters'
import type { ConfigInfos } from '@tributary/rest-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Plugins } from '../plugins/plugins.ts'
import { bodyOf, readScenario } from '../rest/testing/scenario.ts'
import { TicksConnector, ticksConfig, ticksPlugin } from '../testing/ticks-plugin.ts'
import { configInfos } from './config-infos.ts'
import { checkConfig } from './connector-validator.ts'
import { SameThreadChecks } from './same-thread-checks.ts'

type Config = Readonly<Record<string, string | null>>

const never = new AbortController().signal
const FOLDER = new URL('../rest/fixtures/connect-4.3/', import.meta.url)
const { scenario, answers } = readScenario(FOLDER, '19-validate')
const plugins = new Plugins([mysqlConnectorPlugin, jsonConverterPlugin, simpleHeaderConverterPlugin])

/** The document that a worker without settings returns. */
async function validate(config: Config, known: Plugins = plugins): Promise<ConfigInfos> {
  const checks = new SameThreadChecks({ plugins: known, workerProperties: ENVIRONMENT })
  return configInfos(config['connector.class'] ?? '', await checkConfig({ plugins: known, checks }, config, never))
}

const ENVIRONMENT = {
  'config.providers': 'env',
  'config.providers.env.class': 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
  'config.providers.env.param.allowlist.pattern': 'PATH',
}

/** Properties whose errors Kafka Connect finds only when its task fails. */
const REFUSED_HERE = ['schema.history.internal.kafka.topic', 'schema.history.internal.kafka.bootstrap.servers']

// Configurations with errors, so that no database is asked.
for (const id of ['s03', 's04']) {
  test(`errors of a configuration are in the same properties, with the same texts, as in Connect 4.3.1: ${id}`, async () => {
    const step = scenario.steps.find((each) => each.id === id)
    assert.ok(step)
    const values = { MYSQL_HOST: '127.0.0.1', MYSQL_PORT: '3306', KAFKA: 'broker:9092' }
    const ours = await validate(JSON.parse(bodyOf(step, values)?.toString() ?? '') as Config)
    const recorded = JSON.parse(answers[id]?.body ?? '') as ConfigInfos

    const errorsOf = ({ configs }: ConfigInfos): unknown =>
      Object.fromEntries(
        configs
          .map(({ value }) => [value?.name, value?.errors ?? []] as const)
          .filter(([name, errors]) => errors.length > 0 && !REFUSED_HERE.includes(name)),
      )
    assert.deepEqual(errorsOf(ours), errorsOf(recorded))
    assert.equal(ours.error_count, recorded.error_count + (id === 's03' ? REFUSED_HERE.length : 0))
    assert.equal(ours.name, recorded.name)
    assert.deepEqual(ours.groups.toSorted(), recorded.groups.toSorted())
    const [first, recordedFirst] = [ours.configs[0], recorded.configs[0]]
    assert.deepEqual(Object.keys(first?.definition ?? {}), Object.keys(recordedFirst?.definition ?? {}))
    assert.deepEqual(Object.keys(first?.value ?? {}), Object.keys(recordedFirst?.value ?? {}))
  })
}

test('passwords and the values of references are not shown; an undefined property is shown when it is refused', async () => {
  const connector = new TicksConnector()
  let secret = ''
  connector.check = (config) => {
    secret = config['ticks.password'] ?? ''
    return Promise.resolve({ 'ticks.url': [`cannot reach ${secret}`], 'interval.ms': ['too long'] })
  }
  const config = { ...ticksConfig('c'), 'ticks.password': '${env:PATH}', name: '${env:PATH}' }
  const infos = await validate(config, new Plugins([ticksPlugin(connector)]))

  const shown = new Map(infos.configs.map(({ value }) => [value.name, value]))
  assert.equal(shown.get('ticks.password')?.value, '[hidden]')
  assert.equal(shown.get('name')?.value, '${env:PATH}')
  assert.deepEqual(shown.get('ticks.url')?.errors, ['cannot reach ${env:PATH}'])
  assert.deepEqual(shown.get('interval.ms')?.errors, ['too long'])
  assert.equal(infos.configs.find(({ value }) => value.name === 'ticks.url')?.definition, null)
  assert.equal(infos.error_count, 2)
  assert.ok(secret.length > 4 && !JSON.stringify(infos).includes(secret))
})
