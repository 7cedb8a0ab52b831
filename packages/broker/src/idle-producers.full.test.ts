import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@tributary/support'
import { eventually, startKafka, useRealKafka } from '@tributary/testkit'
import { waitForCoordinators } from './testing/compare-brokers.ts'
import { FORGOTTEN, IdleProducers, KNOWN } from './testing/idle-producers.ts'
import { RawClient } from './testing/raw-client.ts'

/** A second instead of a day and a week. */
const SHORT = {
  'producer.id.expiration.ms': '1000',
  'producer.id.expiration.check.interval.ms': '200',
  'transactional.id.expiration.ms': '1000',
  'transaction.remove.expired.transaction.cleanup.interval.ms': '200',
}

test('Kafka gives the answers that the development broker gives to producers that it has forgotten', async () => {
  await using kafka = await startKafka({ config: SHORT })
  const [server = ''] = kafka.bootstrapServers
  await waitForCoordinators(server)
  await using client = await RawClient.connect(server)
  const producers = await IdleProducers.write(client, systemClock.now())
  await eventually('the producers are forgotten', async () => {
    return (await producers.active()) === 0 && (await producers.describe()) !== KNOWN.transactionDescribed
  })
  assert.deepEqual(await producers.answers(), FORGOTTEN)
})

// On Kafka, because it is the judge.
test('Kafka gives the answers that the development broker gives to producers that it knows', async () => {
  const kafka = await useRealKafka()
  const [server = ''] = kafka.bootstrapServers
  await waitForCoordinators(server)
  await using client = await RawClient.connect(server)
  const producers = await IdleProducers.write(client, systemClock.now())
  assert.deepEqual(await producers.answers(), KNOWN)
})
