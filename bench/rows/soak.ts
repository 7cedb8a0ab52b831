import type { Service } from '@tributary/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { FigureList, type Bench } from '../run/bench.ts'
import { SystemConnector } from '../rig/system-connector.ts'
import { createTopics } from '../rig/topics.ts'
import { readArrivals, WARM_UP_ID } from '../latency/arrivals.ts'
import { addQuantiles } from '../latency/quantile-figures.ts'
import { writeOpenLoop } from '../latency/write-open-loop.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { processorSeconds, residentMemoryMb } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { Rig } from '../rig/rig.ts'
import { tributary } from '../systems/system.ts'

const NAME = 'soak'
const TABLE = `${NAME}.customers`
const PER_SECOND = 500
/** Memory and latency are reported per window, so that growth is visible. */
const WINDOW_S = 300
const SAMPLE_EVERY_MS = 5_000

/** Constant load for the given time: neither memory nor latency nor processor time may grow. */
export const soak: Bench = {
  name: NAME,
  isOursOnly: true,
  summary: '500 transactions a second for --minutes (default 60): memory and latency in windows of five minutes',
  async run(options) {
    const list = new FigureList(NAME)
    const seconds = options.minutes * 60
    await using rig = await Rig.start(options)
    const { database, bootstrapServers } = rig
    await createTables(database, NAME, { customers: CUSTOMERS })
    const topic = `${NAME}.${TABLE}`
    await createTopics(bootstrapServers, [topic])
    const worker = await rig.worker(tributary)
    await new SystemConnector({ rig, system: tributary, worker, prefix: NAME, includes: NAME }).start()
    await database.query(`INSERT INTO ${TABLE} VALUES (${WARM_UP_ID}, 0, 'a', 'b', 'c')`)
    await using ends = new TopicEnds(bootstrapServers, [topic])
    await ends.waitFor(1)
    options.note(`soak: writing for ${options.minutes} minutes …`)
    const transactions = seconds * PER_SECOND
    const finished = new AbortController()
    const sampling = sampleUsage(worker, finished.signal)
    const arrivals = readArrivals(bootstrapServers, topic, transactions)
    const { host, port } = database
    const written = writeOpenLoop({ host, port, user: 'root', table: TABLE, transactions, perSecond: PER_SECOND })
    const [arrivedMs, { committedMs }] = await Promise.all([arrivals, written])
    finished.abort()
    const samples = await sampling
    for (let from = 0; from < seconds; from += WINDOW_S) {
      const to = Math.min(seconds, from + WINDOW_S)
      const add = (name: string, unit: string, value: number): void =>
        list.add(`minutes ${from / 60}–${to / 60}: ${name}`, unit, value)
      const ids = Array.from({ length: (to - from) * PER_SECOND }, (_, i) => from * PER_SECOND + i)
      const latencies = ids.map((id) => (arrivedMs[id] ?? NaN) - (committedMs[id] ?? NaN))
      addQuantiles('commit acknowledged → consumer', latencies, add)
      addUsage(
        samples.filter(({ atS }) => atS >= from && atS <= to),
        add,
      )
    }
    return list.figures
  },
}

interface Sample {
  readonly atS: number
  readonly memoryMb: number
  readonly processorS: number
}

async function sampleUsage(worker: Service, signal: AbortSignal): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const begin = performance.now()
  while (!signal.aborted) {
    const atS = (performance.now() - begin) / 1000
    samples.push({ atS, memoryMb: residentMemoryMb(worker.pid), processorS: processorSeconds(worker.pid) })
    await sleep(SAMPLE_EVERY_MS)
  }
  return samples
}

function addUsage(samples: readonly Sample[], add: (name: string, unit: string, value: number) => void): void {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return
  add('peak memory', 'MB', Math.max(...samples.map(({ memoryMb }) => memoryMb)))
  add('processor time', '% of a core', ((last.processorS - first.processorS) / (last.atS - first.atS)) * 100)
}
