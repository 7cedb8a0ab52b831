import { Worker } from 'node:worker_threads'
import { FigureList, type Bench } from '../bench.ts'
import { readArrivals, WARM_UP_ID } from '../latency/arrivals.ts'
import type { WriterPlan, WriterReport } from '../latency/open-loop-writer.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { peakMemoryMb, processorSeconds } from '../measure/process-usage.ts'
import { quantile } from '../measure/quantiles.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { CONNECTED, CONNECTED_WITHIN_MS, Rig } from '../rig.ts'

const NAME = 'latency'
const TABLE = `${NAME}.customers`
const TOPIC = `${NAME}.${TABLE}`
const PER_SECOND = 1_000
/** Compilers on both sides have seen enough by then. */
const WARM_UP_S = 10

/** How long a change takes to reach a consumer while 1,000 transactions a second are committed. */
export const latency: Bench = {
  name: NAME,
  summary: 'from commit to consumer at 1,000 transactions a second',
  async run(options) {
    const list = new FigureList(NAME)
    await using rig = await Rig.start(options)
    const { database, bootstrapServers } = rig
    await createTables(database, NAME, { customers: CUSTOMERS })
    const service = await rig.service(NAME)
    await service.register(NAME, rig.connectorConfig({ prefix: NAME, includes: NAME }))
    await service.waitForLog(CONNECTED, 0, CONNECTED_WITHIN_MS)
    await database.query(`INSERT INTO ${TABLE} VALUES (${WARM_UP_ID}, 0, 'a', 'b', 'c')`)
    await using ends = new TopicEnds(bootstrapServers, [TOPIC])
    await ends.waitFor(1)
    const seconds = WARM_UP_S + (options.isQuick ? 10 : 60)
    options.note(`latency: writing for ${seconds} s …`)
    const transactions = seconds * PER_SECOND
    const processorBegin = processorSeconds(service.pid)
    const arrivals = readArrivals(bootstrapServers, TOPIC, transactions)
    const { host, port } = database
    const written = writeOpenLoop({ host, port, user: 'root', table: TABLE, transactions, perSecond: PER_SECOND })
    const [arrivedMs, { beginMs, committedMs }] = await Promise.all([arrivals, written])
    const processor = processorSeconds(service.pid) - processorBegin
    const dueMs = (id: number): number => beginMs + (id * 1000) / PER_SECOND
    const from = WARM_UP_S * PER_SECOND
    const fromDue = Array.from(arrivedMs.subarray(from), (ms, i) => ms - dueMs(from + i))
    const fromCommit = Array.from(arrivedMs.subarray(from), (ms, i) => ms - (committedMs[from + i] ?? NaN))
    // Below the rate that was asked for, the database could not keep up, and the time since a transaction was due is its own.
    list.add(
      'transactions committed',
      '1/s',
      transactions / ((Math.max(...committedMs.slice(-PER_SECOND)) - beginMs) / 1000),
    )
    addQuantiles(list, 'due → consumer', fromDue)
    addQuantiles(list, 'commit acknowledged → consumer', fromCommit)
    list.add('processor time', '% of a core', (processor / seconds) * 100)
    list.add('peak memory', 'MB', peakMemoryMb(service.pid))
    return list.figures
  },
}

function addQuantiles(list: FigureList, name: string, latenciesMs: readonly number[]): void {
  for (const [label, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
    ['p99.9', 0.999],
    ['max', 1],
  ] as const) {
    list.add(`${name}, ${label}`, 'ms', quantile(latenciesMs, share))
  }
}

interface Written {
  readonly beginMs: number
  readonly committedMs: Float64Array
}

function writeOpenLoop(plan: WriterPlan): Promise<Written> {
  const thread = new Worker(new URL('../latency/open-loop-writer.ts', import.meta.url), { workerData: plan })
  return new Promise((resolve, reject) => {
    let beginMs = NaN
    thread.on('error', reject)
    thread.on('message', (message: WriterReport) => {
      if (message.tag === 'begins') beginMs = message.atMs
      else resolve({ beginMs, committedMs: message.committedMs })
    })
  })
}
