import type { Service } from '@tributary/testkit'
import { FigureList, FLOOR, type Bench, type BenchOptions } from '../run/bench.ts'
import { SystemConnector } from '../rig/system-connector.ts'
import { interleaved } from '../compare/interleaved.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'
import { readArrivals, WARM_UP_ID } from '../latency/arrivals.ts'
import { harnessFloor } from '../latency/harness-floor.ts'
import { addQuantiles } from '../latency/quantile-figures.ts'
import { writeOpenLoop } from '../latency/write-open-loop.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { peakMemoryMb, processorSeconds } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { Rig } from '../rig/rig.ts'
import { reference, referencePolling, referenceTuned, type System } from '../systems/system.ts'

const FLOOR_PER_SECOND = 1_000
const FLOOR_S = 5
/**
 * The JIT compiler of a new broker uses a third of a core for a minute, and slows down the measured system, which runs
 * on the same cores. So the broker is warmed up first, at a high rate, with which its compiler finishes sooner.
 */
const BROKER_WARM_UP = { perSecond: 6_000, seconds: 60, quickSeconds: 10 } as const

interface Rate {
  readonly perSecond: number
  readonly seconds: number
  /** Seconds at the start that are not counted. */
  readonly leadInS: number
}

/** Runs before the first rate of a system, and warms up its compiler. */
const WARM_UP: Rate = { perSecond: 2_000, seconds: 20, leadInS: 0 }

function rate(perSecond: number): Rate {
  return { perSecond, seconds: 14, leadInS: 2 }
}

/** Measures how long a change takes to reach a consumer while transactions are committed at a constant rate. */
export const latency: Bench = {
  name: 'latency',
  summary: 'from commit to consumer at 200, 1,000 and 5,000 transactions a second',
  isRun: 'quick',
  async run(options) {
    const list = new FigureList('latency')
    const rates = options.isQuick ? [rate(1_000)] : [rate(200), rate(1_000), rate(5_000)]
    await using rig = await Rig.start(options)
    options.note('latency: warming up the broker …')
    const warmUpS = options.isQuick ? BROKER_WARM_UP.quickSeconds : BROKER_WARM_UP.seconds
    await harnessFloor(rig.bootstrapServers, BROKER_WARM_UP.perSecond, warmUpS)
    for (const { system, run } of interleaved(latencySystems(options.systems), options.runs)) {
      options.note(`latency: ${system.name} …`)
      await measureSystem({ rig, system, rates, name: `latency${system.name.replaceAll('-', '')}${run}`, list })
    }
    const floor = await harnessFloor(rig.bootstrapServers, FLOOR_PER_SECOND, FLOOR_S)
    addQuantiles(`${labelOf(FLOOR_PER_SECOND)}: ${COMMIT}`, floor, (name, unit, value) =>
      list.add(name, unit, value, FLOOR),
    )
    return list.figures
  },
}

const COMMIT = 'commit acknowledged → consumer'

/** Replaces the reference tuned for throughput by the one tuned for latency. */
function latencySystems(systems: BenchOptions['systems']): readonly System[] {
  const chosen = systems.filter((system) => system !== referenceTuned)
  return chosen.length < systems.length || systems.includes(reference) ? [...chosen, referencePolling] : chosen
}

interface SystemRun {
  readonly rig: Rig
  readonly system: System
  readonly rates: readonly Rate[]
  /** Names the database, the connector and the topics. */
  readonly name: string
  readonly list: FigureList
}

async function measureSystem(run: SystemRun): Promise<void> {
  const { rig, system, rates, name, list } = run
  const tables = [WARM_UP, ...rates].map((_, index) => `customers${index}`)
  await createTables(rig.database, name, Object.fromEntries(tables.map((table) => [table, CUSTOMERS])))
  const topics = tables.map((table) => `${name}.${name}.${table}`)
  await createTopics(rig.bootstrapServers, topics)
  await using worker = await rig.worker(system)
  const connector = new SystemConnector({ rig, system, worker, prefix: name, includes: name })
  await connector.start()
  for (const [index, each] of [WARM_UP, ...rates].entries()) {
    await measureRate({ ...run, worker, rate: each, table: `${name}.${tables[index] ?? ''}` })
  }
  list.add('peak memory', 'MB', peakMemoryMb(worker.pid), system.name)
  // The worker of the system's next run has the same name and would resume this connector.
  await connector.delete()
  await deleteTopics(rig.bootstrapServers, topics)
}

interface RateRun extends SystemRun {
  readonly worker: Service
  readonly rate: Rate
  readonly table: string
}

async function measureRate({ rig, system, name, list, worker, rate: each, table }: RateRun): Promise<void> {
  const { database, bootstrapServers } = rig
  const { perSecond, seconds, leadInS } = each
  const topic = `${name}.${table}`
  await database.query(`INSERT INTO ${table} VALUES (${WARM_UP_ID}, 0, 'a', 'b', 'c')`)
  await using ends = new TopicEnds(bootstrapServers, [topic])
  await ends.waitFor(1)
  const transactions = seconds * perSecond
  const processorBegin = processorSeconds(worker.pid)
  const arrivals = readArrivals(bootstrapServers, topic, transactions)
  const { host, port } = database
  const written = writeOpenLoop({ host, port, user: 'root', table, transactions, perSecond })
  const [arrivedMs, { beginMs, committedMs }] = await Promise.all([arrivals, written])
  if (each === WARM_UP) return
  const processor = processorSeconds(worker.pid) - processorBegin
  const from = leadInS * perSecond
  const dueMs = (id: number): number => beginMs + (id * 1000) / perSecond
  const add = (what: string, unit: string, value: number): void =>
    list.add(`${labelOf(perSecond)}: ${what}`, unit, value, system.name)
  addQuantiles(
    COMMIT,
    Array.from(arrivedMs.subarray(from), (ms, i) => ms - (committedMs[from + i] ?? NaN)),
    add,
  )
  addQuantiles(
    'due → consumer',
    Array.from(arrivedMs.subarray(from), (ms, i) => ms - dueMs(from + i)),
    add,
  )
  // If this is below the intended rate, the database could not keep up, and the time since the due time includes its
  // delay.
  add('transactions committed', '1/s', transactions / ((Math.max(...committedMs.slice(-perSecond)) - beginMs) / 1000))
  add('processor time', '% of a core', (processor / seconds) * 100)
}

function labelOf(perSecond: number): string {
  return `${perSecond.toLocaleString('en')}/s`
}
