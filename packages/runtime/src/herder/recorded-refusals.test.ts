import type { SourcePlugin } from '@tributary/connect-api'
import { mysqlConnectorPlugin } from '@tributary/connector-mysql'
import { jsonConverterPlugin, simpleHeaderConverterPlugin } from '@tributary/converters'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Plugins } from '../plugins/plugins.ts'
import { bodyOf, fillTemplate, readScenario, type RecordedAnswer, type Step } from '../rest/testing/scenario.ts'
import { validateConnector } from './connector-validator.ts'
import { SameThreadChecks } from './same-thread-checks.ts'
import { answerTo } from './testing/herder-fixture.ts'

/**
 * Configurations that were given to Kafka Connect 4.3.1 with the Debezium connector 3.6.1, and how it refused them
 * (`intended`: how it would have, but for a defect of that connector). Whether the database answers is not asked here.
 */
const FOLDER = new URL('../rest/fixtures/connect-4.3/', import.meta.url)

const noPluginVersions = 'plug-ins have one version each; the requested version is not checked'
const asksDatabase = 'the database refuses it: tests/e2e'
const moreIsRefused = 'what would only fail later is refused at once'

/** Steps with a different answer, with the reason. A step with the same answer must be removed from this list. */
const DEVIATIONS: Readonly<Record<string, string>> = {
  '06-connector-class s01': 'passwords are not repeated; the order of entries is the request’s',
  '06-connector-class s03': 'the order of entries is the request’s',
  '06-connector-class s19': noPluginVersions,
  '06-connector-class s22': noPluginVersions,
  '06-connector-class s34': noPluginVersions,
  '06-connector-class s40': noPluginVersions,
  '07-invalid-values s02': moreIsRefused,
  '07-invalid-values s14': asksDatabase,
  '07-invalid-values s15': asksDatabase,
  '07-invalid-values s16': asksDatabase,
  '07-invalid-values s17': moreIsRefused,
  '07-invalid-values s22': moreIsRefused,
  '07-invalid-values s24': 'the error of a regular expression has JavaScript’s text',
}

const VALUES = {
  RUN: 'abcd',
  MYSQL_HOST: '127.0.0.1',
  MYSQL_PORT: '3306',
  KAFKA: 'broker:9092',
  PLUGIN_LOCATION: 'classpath',
}

/** The real connector without its checks of the outside world. */
const offline: SourcePlugin = {
  ...mysqlConnectorPlugin,
  version: '3.6.1.Final',
  createConnector: () => {
    const connector = mysqlConnectorPlugin.createConnector()
    return {
      config: () => connector.config(),
      validate: () => Promise.resolve({}),
      taskConfigs: (config, tasksMax) => connector.taskConfigs(config, tasksMax),
    }
  },
}
const plugins = new Plugins([offline, jsonConverterPlugin, simpleHeaderConverterPlugin])

const checks = new SameThreadChecks({ plugins, workerProperties: { 'bootstrap.servers': 'broker:9092' } })

/** The text with which the configuration is refused, or null. */
async function refusal(step: Step): Promise<string | null> {
  const request = JSON.parse(bodyOf(step, VALUES)?.toString() ?? '') as Request
  const config = { ...request.config, name: request.name }
  try {
    await validateConnector({ plugins, checks }, config, new AbortController().signal)
    return null
  } catch (error) {
    const { status, message } = answerTo(error)
    assert.equal(status, 400)
    return message
  }
}

interface Request {
  readonly name: string
  readonly config: Readonly<Record<string, string>>
}

function recordedRefusal({ intended, ...answer }: RecordedAnswer): string | null {
  const { status, body } = intended ?? answer
  // Status 409: the configuration was valid, and the connector already existed.
  if (status < 400 || status === 409) return null
  const document = JSON.parse(fillTemplate(body, VALUES)) as { readonly message: string }
  // Kafka Connect prepends the exception's name when a class is requested again; Tributary never does.
  return document.message.replace(/^org\.apache\.kafka\.connect\.errors\.ConnectException: /, '')
}

for (const name of ['06-connector-class', '07-invalid-values']) {
  test(`configurations are refused as by Kafka Connect: ${name}`, async () => {
    const { scenario, answers } = readScenario(FOLDER, name)
    const steps = scenario.steps.filter(({ method }) => method === 'POST')
    assert.ok(steps.length > 15)
    for (const step of steps) {
      const id = `${name} ${step.id}`
      const answer = answers[step.id ?? '']
      assert.ok(answer, id)
      const [ours, recorded] = [await refusal(step), recordedRefusal(answer)]
      if (DEVIATIONS[id] === undefined) assert.equal(ours, recorded, id)
      else assert.notEqual(ours, recorded, `${id} has the recorded answer and must be removed from the list`)
    }
  })
}
