import { CodedError, isRetriable } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkResponse } from './response-check.ts'

/** Messages of a Kafka 4.3 broker; 38 is INVALID_REPLICATION_FACTOR. */
const refusals: readonly (readonly [reason: string, isTransient: boolean])[] = [
  [
    'Unable to replicate the partition 1 time(s): All brokers are currently fenced, or have all their log directories cordoned.',
    true,
  ],
  [
    'Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached because only 1 broker(s) are registered or some brokers have all their log directories cordoned.',
    false,
  ],
]

test('a topic that is refused while brokers are fenced is retriable; one with too many replicas is not', () => {
  for (const [reason, isTransient] of refusals) {
    assert.throws(
      () => checkResponse({ request: 'CreateTopics', subject: 'topic t', errorCode: 38, reason }),
      (error) => error instanceof CodedError && isRetriable(error) === isTransient,
      reason,
    )
  }
})
