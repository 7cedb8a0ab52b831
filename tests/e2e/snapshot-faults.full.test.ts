/**
 * Faults while the first rows are copied, in each way of copying: with a lock, without one, and by a signal. Beside the
 * copy rows are inserted, updated and deleted. No version of any row may be missing or out of order, and in the end the
 * topic has what SELECT returns, without anybody's intervention. Prints a line of figures for each.
 *
 *     FAULTS=lock-free,incremental FAULT_SEED=7 FAULT_CUTS=12 FAULT_OUTAGE_MS=60000 npm run test:full -- snapshot-faults
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DatabaseServer, eventually, seededRandom, startMariaDb, startMySql } from '@tributary/testkit'
import { type CopyMode, FaultRun } from './faults/fault-run.ts'
import { brokerAway, cutAtRandomByte, databaseKilled } from './faults/faults.ts'

const ROWS = 20_000
/** In each of nine runs: about a hundred in all. */
const CUTS = Number(process.env['FAULT_CUTS'] ?? 12)
const OUTAGE_MS = Number(process.env['FAULT_OUTAGE_MS'] ?? 60_000)
const RESTARTS = 2
/** Slow enough that each fault meets the copy, and of many chunks. */
const MORE = { 'snapshot.max.rows.per.second': '2000', 'incremental.snapshot.chunk.size': '200' }
/** Of the server, between two cuts: some chunks, or a part of a batch. */
const CUT_BYTES_MAX = 30_000

const servers: readonly (readonly [string, () => Promise<DatabaseServer>])[] = [
  ['MySQL', () => startMySql()],
  ['MySQL without GTIDs', () => startMySql({ gtid: false })],
  ['MariaDB', () => startMariaDb()],
]
const modes: readonly CopyMode[] = ['locking', 'lock-free', 'incremental']

for (const copy of modes) {
  for (const [server, open] of servers) {
    scenario(`${copy} on ${server}: cut connections`, copy, open, async (run) => {
      let inCopy = 0
      for (let i = 0; i < CUTS; i++) {
        if (!run.isSnapshotOver) inCopy += 1
        await cutAtRandomByte(run, 'database', i, CUT_BYTES_MAX)
      }
      return { faults: CUTS, inCopy }
    })
  }

  scenario(
    `${copy}: the database is killed and started`,
    copy,
    () => startMySql(),
    async (run) => {
      let inCopy = 0
      for (let i = 0; i < RESTARTS; i++) {
        const { rows } = await rowsOf(run)
        await eventually(
          'rows are copied',
          async () => run.isSnapshotOver || (await rowsOf(run)).rows > rows + 500,
          SLOW,
        )
        if (!run.isSnapshotOver) inCopy += 1
        await databaseKilled(run)
      }
      return { faults: RESTARTS, inCopy }
    },
  )

  scenario(
    `${copy}: the brokers are unreachable for ${OUTAGE_MS / 1000} s`,
    copy,
    () => startMySql(),
    async (run) => {
      await eventually('rows are copied', async () => (await rowsOf(run)).rows > 500, SLOW)
      const inCopy = run.isSnapshotOver ? 0 : 1
      await brokerAway(run, OUTAGE_MS)
      return { faults: 1, inCopy }
    },
  )
}

const SLOW = { timeoutMs: 120_000, everyMs: 100 } as const

/** Rows of the snapshot so far, as the connector reports them; 0 while nothing answers. */
async function rowsOf({ service, schema }: FaultRun): Promise<{ readonly rows: number }> {
  const { json } = await service.rest('GET', `/connectors/${schema}/snapshot`)
  const { snapshot } = (json ?? {}) as { snapshot?: { rows: number } | null }
  return { rows: snapshot?.rows ?? 0 }
}

function scenario(
  name: string,
  copy: CopyMode,
  open: () => Promise<DatabaseServer>,
  fault: (run: FaultRun) => Promise<{ readonly faults: number; readonly inCopy: number }>,
): void {
  test(name, { skip: !isSelected(name) }, async (t) => {
    const given = process.env['FAULT_SEED']
    const random = given === undefined ? seededRandom() : seededRandom(Number(given))
    await using database = await open()
    await using run = await FaultRun.start({ database, random, firstRows: ROWS, copy, more: MORE })
    const outcome = await fault(run)
    await run.untilSnapshotIsOver()
    const { faults, lost, outOfOrder, ...figures } = await run.finish()
    t.diagnostic(
      `${JSON.stringify({ ...outcome, missing: lost, wrong: outOfOrder + faults.length, ...figures })} (seed ${random.seed})`,
    )
    assert.deepEqual(faults, [])
    assert.ok(outcome.inCopy > 0)
  })
}

function isSelected(name: string): boolean {
  const selected = process.env['FAULTS']?.split(',') ?? []
  return selected.length === 0 || selected.some((each) => name.startsWith(each))
}
