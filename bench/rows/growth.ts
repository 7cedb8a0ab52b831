import type { Service } from '@tributary/testkit'
import { FigureList, type Bench, type BenchOptions, type Figure } from '../run/bench.ts'
import { startAndStop, SystemConnector } from '../rig/system-connector.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'
import { createNumbers } from '../load/numbers.ts'
import { peakMemoryMb, processorSeconds } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import { Rig } from '../rig/rig.ts'
import { tributary } from '../systems/system.ts'
import { columns, spreadOver, transactionsOf } from '../workloads/growth.ts'
import { bulkInserts } from '../workloads/inserts.ts'
import { countRecords, type Workload } from '../workloads/workload.ts'

interface GrowthCase {
  readonly name: string
  readonly workload: Workload
  /** Per connector. */
  readonly amount: number
  readonly connectors?: number
}

interface GrowthRow extends Pick<Bench, 'name' | 'summary'> {
  readonly cases: readonly GrowthCase[]
}

/** Each row varies a quantity that must not affect the cost of a change. */
const ROWS: readonly GrowthRow[] = [
  {
    name: 'growthsize',
    summary: 'cost of a change by size of transaction',
    cases: [
      { name: 'transactions of 1 row', workload: transactionsOf(1), amount: 200_000 },
      { name: 'transactions of 100 rows', workload: transactionsOf(100), amount: 400_000 },
      { name: 'transactions of 10,000 rows', workload: transactionsOf(10_000), amount: 400_000 },
      { name: 'one transaction of 1,000,000 rows', workload: transactionsOf(1_000_000), amount: 1_000_000 },
    ],
  },
  {
    name: 'growthcolumns',
    summary: 'cost of a change by number of columns that 2,000 bytes are spread over',
    cases: [
      { name: '5 columns of 400 bytes', workload: columns(5), amount: 100_000 },
      { name: '50 columns of 40 bytes', workload: columns(50), amount: 100_000 },
      { name: '200 columns of 10 bytes', workload: columns(200), amount: 100_000 },
    ],
  },
  {
    name: 'growthconnectors',
    summary: 'changes per second of all connectors of one service, by their number',
    // Each connector has the same amount, because the start of its thread is included.
    cases: [
      { name: '1 connector', workload: bulkInserts, amount: 400_000, connectors: 1 },
      { name: '5 connectors', workload: bulkInserts, amount: 400_000, connectors: 5 },
      { name: '20 connectors', workload: bulkInserts, amount: 400_000, connectors: 20 },
    ],
  },
  {
    name: 'growthtables',
    summary: 'cost of a change by number of tables',
    cases: [
      { name: '10 tables', workload: spreadOver(10), amount: 200_000 },
      { name: '500 tables', workload: spreadOver(500), amount: 200_000 },
      { name: '5,000 tables', workload: spreadOver(5_000), amount: 200_000 },
    ],
  },
]

/** Measures only Tributary. One service runs all cases one after the other, after a warm-up. */
export const growth: readonly Bench[] = ROWS.map((row) => ({
  name: row.name,
  aliases: ['growth'],
  isOursOnly: true,
  summary: row.summary,
  run: (options) => measureRow(row, options),
}))

async function measureRow({ name, cases }: GrowthRow, options: BenchOptions): Promise<readonly Figure[]> {
  const list = new FigureList(name)
  await using rig = await Rig.start(options)
  await createNumbers(rig.database)
  const share = options.isQuick ? 0.1 : 1
  await using worker = await rig.worker(tributary)
  const warmUp = { database: `${name}warm`, amount: WARM_UP.amount * share }
  await measureCase({ rig, worker, growthCase: WARM_UP, load: warmUp, list: null })
  for (const [index, growthCase] of cases.entries()) {
    options.note(`${name}: ${growthCase.name} …`)
    const load = { database: `${name}${index}`, amount: growthCase.amount * share }
    await measureCase({ rig, worker, growthCase, load, list })
  }
  return list.figures
}

const WARM_UP: GrowthCase = { name: 'warm-up', workload: transactionsOf(1), amount: 100_000 }

interface CaseRun {
  readonly rig: Rig
  readonly worker: Service
  readonly growthCase: GrowthCase
  readonly load: { readonly database: string; readonly amount: number }
  /** Null for the warm-up, which is not recorded. */
  readonly list: FigureList | null
}

async function measureCase({ rig, worker, growthCase, load, list }: CaseRun): Promise<void> {
  const { bootstrapServers, database } = rig
  const { name, workload, connectors: count = 1 } = growthCase
  await workload.create(database, load)
  const connectors = Array.from({ length: count }, (_, i) => {
    const prefix = `${load.database}x${i}`
    return new SystemConnector({ rig, system: tributary, worker, prefix, includes: load.database })
  })
  const expected = new Map(connectors.flatMap(({ prefix }) => [...workload.expected(prefix, load)]))
  const topics = connectors.flatMap(({ prefix }) => {
    return workload.topics?.(prefix, load) ?? [...workload.expected(prefix, load).keys()]
  })
  await createTopics(bootstrapServers, topics)
  await startAndStop(connectors)
  await workload.fill(database, load)
  await using ends = new TopicEnds(bootstrapServers, [...expected.keys()])
  await ends.total()
  const known = workload.tablesKnown?.(connectors[0]?.prefix ?? '', load) ?? null
  await using knownEnds = new TopicEnds(bootstrapServers, known === null ? [] : [known.topic])
  await knownEnds.total()
  const logged = worker.log.length
  const resumed = new Lap(worker.pid)
  for (const connector of connectors) await connector.resume()
  await connectors[0]?.waitUntilStreaming(logged)
  // Several connectors do not start streaming at the same time. Where their number is compared, the time therefore
  // includes their starts.
  const all = growthCase.connectors === undefined ? new Lap(worker.pid) : resumed
  if (known !== null) await knownEnds.waitFor(1, POLLING)
  const afterFirstRound = new Lap(worker.pid)
  await ends.waitFor(countRecords(expected), POLLING)
  const changes = workload.changes(load) * count
  all.addTo(list, name, changes)
  if (known !== null) afterFirstRound.addTo(list, `${name}, after the first round`, changes - known.changes)
  list?.add(name, 'MB of memory, peak so far', peakMemoryMb(worker.pid))
  for (const connector of connectors) await connector.delete()
  for (const [topic, counts] of expected) await verifyTopic(bootstrapServers, topic, counts)
  await deleteTopics(bootstrapServers, topics)
}

const POLLING = { everyMs: 50 } as const

/** Measures time and processor time since its creation. */
class Lap {
  readonly #pid: number
  readonly #beginMs = performance.now()
  readonly #processorBegin: number

  constructor(pid: number) {
    this.#pid = pid
    this.#processorBegin = processorSeconds(pid)
  }

  /** Adds the figures for the given number of changes since its creation. */
  addTo(list: FigureList | null, name: string, changes: number): void {
    const seconds = (performance.now() - this.#beginMs) / 1000
    const processor = processorSeconds(this.#pid) - this.#processorBegin
    list?.add(name, '1/s', changes / seconds)
    list?.add(name, 's of processor time per million changes', (processor / changes) * 1e6)
  }
}
