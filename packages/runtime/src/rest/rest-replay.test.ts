import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@tributary/support'
import { HerderGate } from './herder-gate.ts'
import { startRestServer } from './rest-server.ts'
import { compareAnswers } from './testing/compare-answers.ts'
import { startReplayWorker } from './testing/replay-herder.ts'
import { sendRaw } from './testing/raw-http.ts'
import { bodyOf, fillTemplate, readScenario } from './testing/scenario.ts'
import type { RecordedAnswer } from './testing/scenario.ts'

/**
 * Replays requests that were sent to Kafka Connect 4.3.1 (Jetty 12.0.34, Jersey 3.1.10, Jackson 2.21.2) and compares
 * the answers. Only scenarios that need no database are replayed. Steps that wait are skipped, since the replay
 * worker's simulated tasks reach their state at once.
 */
const scenarios = [
  '01-root-list-health',
  '03-expand',
  '04-names',
  '05-name-mismatch',
  '08-json-syntax',
  '09-json-types',
  '10-bytes-and-size',
  '11-content-type-accept',
  '12-methods',
  '13-put-config',
  '14-patch-config',
  '15-pause-resume-stop',
  '16-restart',
  '17-offsets',
  '18-connector-plugins',
  '19-validate',
  '20-loggers',
  '21-topics',
  '22-initial-state',
  '24-unknown-connector',
  '25-list-order',
  '28-path-encoding',
]

const nothingStored = 'simulated tasks store no offsets'
const unaddressable = 'Tributary refuses a name that no request can address; Kafka Connect stores it'
const tooLarge = 'Tributary refuses the body before it reads the string that is too long for Kafka Connect'
const noPartition = 'Tributary refuses an offset without a partition; Kafka Connect stores it and never reads it'
const nothingWritten = 'simulated tasks write to no topics'
const unnamed = 'Kafka Connect refuses it without a reason'
const secret = 'the message of Kafka Connect contains the password'
const rebalanced = 'Kafka Connect was rebalancing; Tributary reports that there is no such task'
const notChecked = 'the connector of the replay worker defines no properties'

const otherLoggers = 'the loggers are those of Tributary, and an earlier scenario had changed a level'
const hidden = 'passwords are hidden; the order of properties is that of the request'
const comparedElsewhere = 'herder/recorded-validations.test.ts compares the real connector'

/** Steps whose answers differ, with the reason. The test fails for a step of this list whose answer is equal. */
const deviations: Readonly<Record<string, string>> = {
  '04-names s15': unaddressable,
  '04-names s23': unaddressable,
  '04-names s27': unaddressable,
  '04-names s30': unaddressable,
  '10-bytes-and-size s09': tooLarge,
  '13-put-config s21': notChecked,
  '14-patch-config s10': secret,
  '14-patch-config s11': unnamed,
  '16-restart s34': rebalanced,
  '17-offsets s08': nothingStored,
  '17-offsets s15': nothingStored,
  '17-offsets s27': noPartition,
  '17-offsets s28': noPartition,
  '17-offsets s30': noPartition,
  '21-topics s05': nothingWritten,
  '21-topics s10': nothingWritten,
  '19-validate s03': comparedElsewhere,
  '19-validate s04': comparedElsewhere,
  '19-validate s08': hidden,
  '20-loggers s01': otherLoggers,
  '20-loggers s02': otherLoggers,
  '20-loggers s21': otherLoggers,
}

/** Values of the placeholders in the scenarios, except the address of the server. */
const constants = {
  RUN: 'abcz',
  WORKER: '127.0.0.1:8083',
  KAFKA: '127.0.0.1:9092',
  MYSQL_HOST: '127.0.0.1',
  MYSQL_PORT: '3306',
}

const fixtures = new URL('fixtures/connect-4.3/', import.meta.url)

for (const name of scenarios) {
  const { scenario, answers } = readScenario(fixtures, name)
  test(`answers as Kafka Connect does: ${name}: ${scenario.note}`, async () => {
    await using server = await startRestServer({
      host: '127.0.0.1',
      port: 0,
      gate: HerderGate.opened((await startReplayWorker()).herder),
      logger: silentLogger,
    })
    const values = { ...constants, BASE: server.url }
    for (const step of scenario.steps) {
      const { id = '', method = '', path = '' } = step
      const recorded = answers[id]
      if ((step.do ?? 'http') !== 'http' || recorded === undefined) continue
      const headers = step.headers ?? {}
      const body = bodyOf(step, values)
      const answer = await sendRaw(server.port, {
        method,
        target: fillTemplate(path, values),
        headers,
        ...(body === undefined ? {} : { body }),
      })
      const candidates = [recorded, recorded.intended ?? recorded].map((candidate) => expand(candidate, values))
      const differences = candidates.map((candidate) => compareAnswers(step, candidate, answer))
      const isAlike = differences.some((found) => found.length === 0)
      const reason = deviations[`${name} ${id}`]
      assert.equal(isAlike, reason === undefined, `${name} ${id} ${method} ${path}: ${differences.flat().join('; ')}`)
    }
  })
}

test('the scenarios contain more than 300 recorded answers', () => {
  const steps = scenarios.flatMap((name) => Object.keys(readScenario(fixtures, name).answers))
  assert.ok(steps.length > 300)
})

function expand(recorded: RecordedAnswer, values: Readonly<Record<string, string>>): RecordedAnswer {
  const headers = Object.entries(recorded.headers).map(([name, value]) => [name, fillTemplate(value, values)] as const)
  return { ...recorded, headers: Object.fromEntries(headers), body: fillTemplate(recorded.body, values) }
}
