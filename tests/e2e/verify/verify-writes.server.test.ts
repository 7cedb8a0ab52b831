/** Comparisons while the table changes: no difference may be reported. verify-writes.full.test.ts has both servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullTest, startService, uniqueName, useKafka, useMySql } from '@tributary/testkit'
import { capture, verifyAll } from './verify-bed.ts'
import { createOrders, startWriters } from './writers.ts'

test('a table that changes all the time equals its topic', async () => {
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('verify')
  await createOrders(database, name, 900)
  await using service = await startService({ bootstrapServers })
  const bed = { database, bootstrapServers, service, name }
  await capture(bed)
  await using writers = await startWriters(database, name, 300)
  for (let i = 0; i < 2; i++) {
    const run = await verifyAll(bed)
    assert.deepEqual(
      [run.error, run.tables.map(({ state, differences, unproven }) => [state, differences, unproven])],
      [null, [['EQUAL', [], []]]],
    )
  }
  assert.ok(writers.count > 100, `${writers.count} transactions were committed meanwhile`)
})

fullTest('a comparison that begins before the topic exists waits for the snapshot', async () => {
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('verify')
  await createOrders(database, name, 100)
  await using service = await startService({ bootstrapServers })
  const bed = { database, bootstrapServers, service, name }
  await capture(bed, { 'snapshot.delay.ms': '3000' })
  const run = await verifyAll(bed)
  assert.deepEqual(
    [run.error, run.tables.map(({ state, rows_equal: equal, differences }) => [state, equal, differences])],
    [null, [['EQUAL', 100, []]]],
  )
})
