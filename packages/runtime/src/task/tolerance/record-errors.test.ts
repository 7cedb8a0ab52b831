import { recordTooLarge } from '@tributary/kafka'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFailure } from '../record-failure.ts'
import { recordAt } from '../testing/test-record.ts'
import { testRecordErrors } from '../testing/test-record-errors.ts'
import type { ErrorPolicy } from './error-policy.ts'

const tooLarge = recordTooLarge({
  topic: 'orders',
  keyBytes: 1,
  valueBytes: 2_000,
  bytes: 2_000,
  limitName: 'max.message.bytes of the topic',
  limit: 1_000,
})

const policies: readonly (readonly [tooLarge: ErrorPolicy['tooLarge'], isTolerant: boolean, isSkipped: boolean])[] = [
  [null, false, false],
  [null, true, true],
  ['fail', true, false],
  ['skip', false, true],
  // A record that remains too large with placeholders is treated as if the property were not set.
  ['placeholder', false, false],
  ['placeholder', true, true],
]

for (const [policy, isTolerant, isSkipped] of policies) {
  test(`errors.record.too.large=${String(policy)}, tolerant ${isTolerant}: skipped ${isSkipped}`, () => {
    const errors = testRecordErrors({ policy: { tooLarge: policy, isTolerant } })
    const record = recordAt(1)
    const failure = recordFailure(record, { stage: 'KAFKA_PRODUCE' }, tooLarge)
    assert.equal(errors.tolerates(failure, record), isSkipped)
  })
}
