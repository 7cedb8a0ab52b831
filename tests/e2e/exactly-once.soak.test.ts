/**
 * The service is killed (SIGKILL) two hundred times at random moments while a million rows arrive in transactions of all
 * sizes, with statements that change the table in between. A consumer of committed records, Tributary's own reader and
 * Kafka's console consumer, must see each row once and in order.
 *
 *     KILL_SEED=7 KILLS=200 ROWS=1000000 npm run test:soak -- exactly-once.soak
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, seededRandom, startKafka } from '@tributary/testkit'
import { startExactStream } from './exactly-once/exact-stream.ts'
import { NOTHING_WRONG, seenBy, seenByJava } from './exactly-once/numbered-rows.ts'
import { TASK_STARTED } from './exactly-once/worker-faults.ts'
import { writeRows } from './exactly-once/write-rows.ts'

const KILLS = Number(process.env['KILLS'] ?? 200)
const ROWS = Number(process.env['ROWS'] ?? 1_000_000)
const BOUNDARIES = ['poll', 'interval', 'connector'] as const

for (const [i, boundary] of BOUNDARIES.entries()) {
  const kills = Math.floor((KILLS + i) / BOUNDARIES.length)
  const count = Math.floor((ROWS + i) / BOUNDARIES.length)
  test(`${kills} kills at random moments over ${count} events, boundary ${boundary}`, async (t) => {
    const given = process.env['KILL_SEED']
    const random = given === undefined ? seededRandom() : seededRandom(Number(given))
    t.diagnostic(`seed ${random.seed}`)
    await using kafka = await startKafka()
    const { bootstrapServers } = kafka
    const more = { 'transaction.boundary': boundary, 'transaction.boundary.interval.ms': '100' }
    await using stream = await startExactStream({ bootstrapServers, partitions: 3, more })
    const { service, rows } = stream
    let [from, kill] = [0, 1]
    const writing = writeRows(rows, count, random, () => kill / kills)
    for (; kill <= kills; kill++) {
      // Most kills are after the start of the task, however long that takes on this machine.
      if (kill % 10 !== 0) await service.waitForLog(TASK_STARTED, from)
      await sleep(random.integer(0, 1_200))
      await service.kill()
      from = service.log.length
      await service.start()
    }
    await writing
    const isComplete = (): Promise<boolean> => stream.isComplete(bootstrapServers)
    await eventually('all rows are committed', isComplete, { timeoutMs: 600_000, everyMs: 2_000 })
    await service.stop()
    const ours = await seenBy(bootstrapServers, rows.topic, rows.last)
    const java = await seenByJava(bootstrapServers, rows.topic, rows.last)
    const figures = [ours, java].map((seen) => `missing ${seen.missing.length}, repeated ${seen.repeated.length}`)
    t.diagnostic(`${kills} kills, ${rows.last} events: ${figures.join('; Kafka’s consumer: ')}`)
    assert.deepEqual(ours, NOTHING_WRONG)
    assert.deepEqual(java, NOTHING_WRONG)
  })
}
