import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeClock, temporaryFolder } from '@tributary/testkit'
import { startBroker, type BrokerOptions } from './shell/start-broker.ts'
import { FORGOTTEN, IdleProducers, KNOWN } from './testing/idle-producers.ts'
import { RawClient } from './testing/raw-client.ts'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** How often the broker looks for idle producers. */
const INTERVAL_MS = 600_000

test('a producer is known as long as it is not idle for a day, a transactional id as long as it is not for a week', async () => {
  const clock = fakeClock()
  await using broker = await startBroker({ clock })
  await using client = await RawClient.connect(broker.bootstrapServers)
  const producers = await IdleProducers.write(client, clock.now())
  await clock.advance(DAY_MS - INTERVAL_MS)
  assert.equal(await producers.active(), 2)
  await clock.advance(2 * INTERVAL_MS)
  assert.equal(await producers.active(), 0)
  await clock.advance(WEEK_MS - DAY_MS - 2 * INTERVAL_MS)
  assert.equal(await producers.describe(), 0)
  await clock.advance(2 * INTERVAL_MS)
  assert.deepEqual(await producers.answers(), FORGOTTEN)
})

test('producers that work once in 20 hours are known after eight days, and after a restart', async () => {
  const clock = fakeClock()
  await using folder = temporaryFolder('idle')
  const options: BrokerOptions = { clock, storage: { tag: 'folder', path: folder.path } }
  let producers: IdleProducers
  {
    await using broker = await startBroker(options)
    await using client = await RawClient.connect(broker.bootstrapServers)
    producers = await IdleProducers.write(client, clock.now())
    for (let sequence = 2; sequence < 12; sequence++) {
      await clock.advance(DAY_MS * (20 / 24))
      await producers.work(sequence, clock.now())
    }
  }
  await using broker = await startBroker(options)
  await using client = await RawClient.connect(broker.bootstrapServers)
  await clock.advance(2 * INTERVAL_MS)
  // The broker remembers five batches, so it takes the first one for a gap.
  assert.deepEqual(await producers.on(client).answers(), { ...KNOWN, repeated: KNOWN.gap })
})

test('a producer with an open transaction is known, however old its records are', async () => {
  const clock = fakeClock()
  await using broker = await startBroker({ clock })
  await using client = await RawClient.connect(broker.bootstrapServers)
  const producers = await IdleProducers.write(client, clock.now() - 2 * DAY_MS)
  await producers.open()
  // Less than its time-out.
  await clock.advance(1.2 * INTERVAL_MS)
  // The idempotent producer, whose records have the same age, is not.
  assert.equal(await producers.active(), 1)
})

test('a producer that is not idle is known', async () => {
  const clock = fakeClock()
  await using broker = await startBroker({ clock })
  await using client = await RawClient.connect(broker.bootstrapServers)
  const producers = await IdleProducers.write(client, clock.now())
  await clock.advance(2 * INTERVAL_MS)
  assert.deepEqual(await producers.answers(), KNOWN)
})

test('a transactional id that was forgotten is not known again after a restart', async () => {
  const clock = fakeClock()
  await using folder = temporaryFolder('idle')
  const options: BrokerOptions = { clock, storage: { tag: 'folder', path: folder.path } }
  {
    await using broker = await startBroker(options)
    await using client = await RawClient.connect(broker.bootstrapServers)
    await IdleProducers.write(client, clock.now())
    await clock.advance(WEEK_MS + INTERVAL_MS)
  }
  await using broker = await startBroker(options)
  await using client = await RawClient.connect(broker.bootstrapServers)
  const request = { transactionalIds: ['idle-transactions'] }
  const { transactionStates } = await client.send('DescribeTransactions', 0, request)
  assert.equal(transactionStates[0]?.errorCode, FORGOTTEN.transactionDescribed)

  // And it is known again from its next use on, also after another restart.
  const known = await IdleProducers.write(client, clock.now())
  assert.equal(await known.describe(), 0)
  await broker[Symbol.asyncDispose]()
  await using third = await startBroker(options)
  await using reconnected = await RawClient.connect(third.bootstrapServers)
  assert.equal(await known.on(reconnected).describe(), 0)
})
