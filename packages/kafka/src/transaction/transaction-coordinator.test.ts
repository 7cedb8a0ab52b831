import { StoppedError } from '@tributary/support'
import { captureLogger, eventually, freePort } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent, testKafka } from '../testing/clients.ts'

test('the lease is looked at when the coordinator is known, not before a look-up that may take long', async () => {
  const logger = captureLogger()
  let looks = 0
  const mayWrite = (): boolean => ++looks > 0
  const kafka = testKafka([`127.0.0.1:${await freePort()}`], { logger, mayWrite })
  const stop = new AbortController()
  const opening = kafka.transactionalProducer({ ...silent(), transactionalId: 'id' }, stop.signal)
  await eventually('the look-up has failed', () => logger.matching('taking over id').length > 0)
  assert.equal(looks, 0)
  stop.abort()
  await assert.rejects(opening, StoppedError)
})
