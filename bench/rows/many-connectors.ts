import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@tributary/testkit'
import { peakMemoryMb, proportionalMemoryMb, residentMemoryMb, resetPeakMemory } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { startAndStop, SystemConnector } from '../rig/system-connector.ts'
import { createTopics } from '../rig/topics.ts'
import { CONNECTED, type Rig } from '../rig/rig.ts'
import type { FigureList } from '../run/bench.ts'
import { tributary } from '../systems/system.ts'
import { bulkInserts } from '../workloads/inserts.ts'
import { countRecords } from '../workloads/workload.ts'

const IDLE_COUNTS = [1, 20, 100] as const
const BUSY_COUNT = 20
/** Idle tasks give memory back after 3 s, and threads that checked configurations end after 10 s. */
const SETTLE_MS = 20_000
const STREAMING_WITHIN_MS = 600_000

/** Measures the memory of one worker with more and more idle connectors. */
export async function measureIdleConnectors(rig: Rig, list: FigureList, isQuick: boolean): Promise<void> {
  const worker = await rig.service('idlers')
  await bulkInserts.create(rig.database, { database: 'idlers', amount: 1 })
  let [registered, before] = [0, residentMemoryMb(worker.pid)]
  list.add('idle, no connector', 'MB', before)
  for (const count of isQuick ? IDLE_COUNTS.slice(0, 2) : IDLE_COUNTS) {
    const added = count - registered
    for (; registered < count; registered++) {
      const prefix = `idle${registered}`
      await worker.register(prefix, rig.connectorConfig({ prefix, includes: 'idlers' }))
    }
    await eventually('all connectors stream', () => worker.log.split(CONNECTED).length > count, {
      timeoutMs: STREAMING_WITHIN_MS,
    })
    await sleep(SETTLE_MS)
    const now = residentMemoryMb(worker.pid)
    list.add(`${count} idle connectors`, 'MB', now)
    list.add(
      `${count} idle connectors`,
      'MB, pages that are mapped twice counted once',
      proportionalMemoryMb(worker.pid),
    )
    list.add(`${count} idle connectors, each one more than before`, 'MB', (now - before) / added)
    before = now
  }
  await worker.stop()
}

/** Measures the peak of a worker whose connectors all catch up at the same time. */
export async function measureBusyConnectors(rig: Rig, list: FigureList, rows: number): Promise<void> {
  const worker = await rig.service('catchers')
  const load = { database: 'catchers', amount: rows }
  await bulkInserts.create(rig.database, load)
  const connectors = Array.from({ length: BUSY_COUNT }, (_, i) => {
    return new SystemConnector({ rig, system: tributary, worker, prefix: `catcher${i}`, includes: load.database })
  })
  const expected = new Map(connectors.flatMap(({ prefix }) => [...bulkInserts.expected(prefix, load)]))
  await createTopics(rig.bootstrapServers, expected.keys())
  await startAndStop(connectors)
  await bulkInserts.fill(rig.database, load)
  await using ends = new TopicEnds(rig.bootstrapServers, [...expected.keys()])
  await sleep(SETTLE_MS)
  resetPeakMemory(worker.pid)
  for (const connector of connectors) await connector.resume()
  await ends.waitFor(countRecords(expected), { everyMs: 50 })
  list.add(`${BUSY_COUNT} busy connectors`, 'MB peak', peakMemoryMb(worker.pid))
  await sleep(SETTLE_MS)
  list.add(`${BUSY_COUNT} connectors after that, idle`, 'MB', residentMemoryMb(worker.pid))
  await worker.stop()
}
