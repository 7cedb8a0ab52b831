import { eventually, seededRandom, startKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { ExactGroup } from './exact-group.ts'
import { NOTHING_WRONG, seenBy, seenByJava, type Seen } from './numbered-rows.ts'
import { sufferFaults, TASK_STARTED, type FaultCounts } from './worker-faults.ts'
import { writeRows } from './write-rows.ts'

export interface SurvivalOptions {
  /** Of all workers together. */
  readonly kills: number
  /** Of all connectors together. */
  readonly rows: number
}

/** Three workers suffer faults while rows arrive; checks what consumers of committed records see in the end. */
export async function surviveFaults(t: TestContext, { kills, rows }: SurvivalOptions): Promise<void> {
  const given = process.env['KILL_SEED']
  const random = given === undefined ? seededRandom() : seededRandom(Number(given))
  t.diagnostic(`seed ${random.seed}`)
  await using kafka = await startKafka()
  const { bootstrapServers } = kafka
  await using group = await ExactGroup.start(bootstrapServers, 3)
  const counts: FaultCounts = { killed: 0, frozen: 0, stopped: 0 }
  const perConnector = Math.ceil(rows / group.connectors.length)
  const writing = group.connectors.map((connector) =>
    writeRows(connector.rows, perConnector, random, () => counts.killed / kills),
  )
  await Promise.all([...writing, ...group.workers.map((worker) => sufferFaults(worker, random, counts, kills))])
  await eventually('all rows are committed', () => group.isComplete(), { timeoutMs: 600_000, everyMs: 2_000 })
  const starts = group.workers.map(({ log }) => log.split(TASK_STARTED).length - 1)
  await Promise.all(group.workers.map((worker) => worker.stop()))
  const { killed, frozen, stopped } = counts
  t.diagnostic(`${killed} times killed, ${frozen} frozen, ${stopped} stopped; starts of tasks: ${starts.join(', ')}`)
  const results = group.connectors.map(async ({ boundary, rows: { topic, last } }) => {
    const [ours, java] = await Promise.all([
      seenBy(bootstrapServers, topic, last),
      seenByJava(bootstrapServers, topic, last),
    ])
    t.diagnostic(`${boundary}, ${last} events: ${describe(ours)}; Kafka’s consumer: ${describe(java)}`)
    assert.deepEqual(ours, NOTHING_WRONG, boundary)
    assert.deepEqual(java, NOTHING_WRONG, boundary)
  })
  await Promise.all(results)
}

function describe({ missing, repeated }: Seen): string {
  return `missing ${missing.length}, repeated ${repeated.length}`
}
