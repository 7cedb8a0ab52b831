/**
 * Servers and connections fail under load, each fault in a run of its own: no version of any row may be missing or out
 * of order, the last one sent must be the one that SELECT returns, and the same run repeats nothing except rows of a
 * snapshot that begins again, all without intervention. Prints a line of figures for each.
 *
 *     FAULTS=broker-down,cuts FAULT_SEED=7 npm run test:soak -- faults
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { type DatabaseServer, seededRandom, startMariaDb, startMySql } from '@tributary/testkit'
import { FaultRun, type FaultRunOptions } from './faults/fault-run.ts'
import {
  brokerAway,
  cutAtRandomByte,
  databaseKilled,
  leadersMoved,
  replicaAway,
  tooFewReplicas,
  type CutSide,
} from './faults/faults.ts'

const OUTAGE_MS = 60_000
const MOVE_EVERY_MS = 5000
const RESTARTS = 5
/** On three servers, on two sides: a hundred and two in all. */
const CUTS_IN_SNAPSHOT = 5
const CUTS_IN_STREAM = 12

const mySql = (): Promise<DatabaseServer> => startMySql()
const servers: readonly (readonly [string, () => Promise<DatabaseServer>])[] = [
  ['MySQL with GTIDs', mySql],
  ['MySQL without GTIDs', () => startMySql({ gtid: false })],
  ['MariaDB', () => startMariaDb()],
]

scenario('broker-down', mySql, {}, async (run) => {
  await brokerAway(run, OUTAGE_MS)
  return `down for ${OUTAGE_MS / 1000} s`
})

scenario('too-few-replicas', mySql, {}, async (run) => {
  const waits = await tooFewReplicas(run, OUTAGE_MS)
  return `min.insync.replicas=2 on one replica for ${OUTAGE_MS / 1000} s, NOT_ENOUGH_REPLICAS ${waits} times`
})

scenario('replica-down', mySql, { brokers: 3, partitions: 6 }, async (run) => {
  await replicaAway(run, OUTAGE_MS)
  return `NOT_ENOUGH_REPLICAS for ${OUTAGE_MS / 1000} s`
})

scenario('leaders-moved', mySql, { brokers: 3, partitions: 6 }, async (run) => {
  const moved = await leadersMoved(run, OUTAGE_MS, MOVE_EVERY_MS)
  assert.ok(moved > 12, `${moved} leaders moved`)
  return `${moved} leaders moved`
})

for (const [name, startDatabase] of servers) {
  scenario(`database-killed on ${name}`, startDatabase, {}, async (run) => {
    for (let i = 0; i < RESTARTS; i++) {
      await databaseKilled(run)
      await run.untilItGoesOn()
    }
    return `${RESTARTS} times`
  })
}

for (const [name, startDatabase] of servers) {
  for (const side of ['database', 'broker'] as const) {
    scenario(`cuts on ${name} at the ${side}`, startDatabase, { firstRows: 20_000 }, (run) => cutAll(run, side))
  }
}

async function cutAll(run: FaultRun, side: CutSide): Promise<string> {
  let inSnapshot = 0
  for (let i = 0; i < CUTS_IN_SNAPSHOT; i++) {
    if (!run.isSnapshotOver) inSnapshot += 1
    await cutAtRandomByte(run, side, i)
  }
  await run.untilSnapshotIsOver()
  for (let i = 0; i < CUTS_IN_STREAM; i++) await cutAtRandomByte(run, side, i)
  await run.untilItGoesOn()
  return `${CUTS_IN_SNAPSHOT + CUTS_IN_STREAM} times, ${inSnapshot} of them before the snapshot was over`
}

/** One fault, in a run of its own, from the middle of the stream on unless the snapshot is part of it. */
function scenario(
  name: string,
  startDatabase: () => Promise<DatabaseServer>,
  options: Omit<FaultRunOptions, 'database' | 'random'>,
  fault: (run: FaultRun) => Promise<string>,
): void {
  const skip = !isSelected(name)
  test(name, { skip }, async (t: TestContext) => {
    const given = process.env['FAULT_SEED']
    const random = given === undefined ? seededRandom() : seededRandom(Number(given))
    await using database = await startDatabase()
    await using run = await FaultRun.start({ ...options, database, random })
    const hasSnapshot = name.startsWith('cuts')
    if (!hasSnapshot) await run.untilSnapshotIsOver()

    const outcome = await fault(run)
    await run.untilItGoesOn()
    const { faults, ...figures } = await run.finish()

    const line = Object.entries(figures).map(([label, figure]) => `${label} ${figure}`)
    t.diagnostic(`${name}: ${outcome}; ${line.join(', ')} (seed ${random.seed})`)
    assert.deepEqual(faults, [])
    assert.equal(figures.repeats, 0)
  })
}

function isSelected(name: string): boolean {
  const selected = process.env['FAULTS']?.split(',') ?? []
  return selected.length === 0 || selected.some((each) => name.startsWith(each))
}
