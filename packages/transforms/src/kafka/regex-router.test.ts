import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, silentLogger } from '@tributary/support'
import { assertSameOutcome, recordedCases } from '../testing/oracle-cases.ts'
import { regexRouterPlugin } from './regex-router.ts'

for (const recorded of recordedCases('regex-router')) {
  test(`${recorded.name}: the topics that Kafka’s class makes`, () => {
    const deviations = { '( → x': 'the error of a regular expression has a text of our own' }
    assertSameOutcome(recorded, { plugins: [regexRouterPlugin], deviations })
  })
}

test('a replacement with a group that the expression does not have is refused before the first record', () => {
  const options = { regex: '(.*)', replacement: '$2' }
  assert.throws(
    () => regexRouterPlugin.create().configure(options, { logger: silentLogger }),
    (error) => error instanceof CodedError && /no group 2/.test(error.message),
  )
})
