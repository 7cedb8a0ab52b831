/**
 * The faults of the soak test on a small scale, one after the other in one run, so that every `npm test` covers them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom, startMySql } from '@tributary/testkit'
import { FaultRun } from './faults/fault-run.ts'
import { brokerAway, cutAtRandomByte, databaseKilled } from './faults/faults.ts'

const OUTAGE_MS = 3000
const CUTS = 4

test('a broker that stops, a database that is killed, connections that are cut: each event once, in order', async (t) => {
  const random = seededRandom()
  await using database = await startMySql()
  await using run = await FaultRun.start({ database, random })
  await run.untilSnapshotIsOver()

  for (let i = 0; i < CUTS; i++) await cutAtRandomByte(run, i % 2 === 0 ? 'database' : 'broker', i)
  await brokerAway(run, OUTAGE_MS)
  await databaseKilled(run)
  await run.untilItGoesOn()

  const { faults, ...figures } = await run.finish()
  t.diagnostic(`seed ${random.seed}: ${JSON.stringify(figures)}`)
  assert.deepEqual(faults, [])
  assert.equal(figures.repeats, 0)
})
