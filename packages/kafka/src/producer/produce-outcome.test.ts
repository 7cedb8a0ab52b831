import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorName } from '../protocol/broker-error.ts'
import { produceOutcome, type ProduceOutcome } from './produce-outcome.ts'

/** Codes from the protocol guide; outcomes from KIP-98, KIP-360 and the Sender of the Java client. */
const table: readonly (readonly [code: number, name: string, outcome: ProduceOutcome])[] = [
  [0, 'NONE', 'written'],
  [46, 'DUPLICATE_SEQUENCE_NUMBER', 'written'],
  [19, 'NOT_ENOUGH_REPLICAS', 'notWritten'],
  [20, 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'inDoubt'],
  [2, 'CORRUPT_MESSAGE', 'notWritten'],
  [3, 'UNKNOWN_TOPIC_OR_PARTITION', 'inDoubt'],
  [5, 'LEADER_NOT_AVAILABLE', 'inDoubt'],
  [6, 'NOT_LEADER_OR_FOLLOWER', 'inDoubt'],
  [7, 'REQUEST_TIMED_OUT', 'inDoubt'],
  [56, 'KAFKA_STORAGE_ERROR', 'inDoubt'],
  [45, 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'sequence'],
  [59, 'UNKNOWN_PRODUCER_ID', 'sequence'],
  [10, 'MESSAGE_TOO_LARGE', 'tooLarge'],
  [18, 'RECORD_LIST_TOO_LARGE', 'tooLarge'],
  [29, 'TOPIC_AUTHORIZATION_FAILED', 'refused'],
  [31, 'CLUSTER_AUTHORIZATION_FAILED', 'refused'],
  [32, 'INVALID_TIMESTAMP', 'refused'],
  [44, 'POLICY_VIOLATION', 'refused'],
  [47, 'INVALID_PRODUCER_EPOCH', 'refused'],
  [87, 'INVALID_RECORD', 'refused'],
  [-1, 'UNKNOWN_SERVER_ERROR', 'refused'],
  [9999, 'error 9999', 'refused'],
]

test('each error code has its outcome for a batch', () => {
  for (const [code, name, outcome] of table) {
    assert.equal(errorName(code), name)
    assert.equal(produceOutcome(code, 1), outcome, name)
  }
})

test('a batch that arrives damaged five times is refused', () => {
  assert.equal(produceOutcome(2, 4), 'notWritten')
  assert.equal(produceOutcome(2, 5), 'refused')
})
