import { FigureList, type Bench } from '../run/bench.ts'
import { startAndStop, SystemConnector } from '../rig/system-connector.ts'
import { createTopics } from '../rig/topics.ts'
import { createNumbers } from '../load/numbers.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { Rig } from '../rig/rig.ts'
import { reference } from '../systems/system.ts'
import { smallTransactions } from '../workloads/small-transactions.ts'
import { countRecords } from '../workloads/workload.ts'

const NAME = 'heap'
const HEAPS_MB: readonly number[] = [64, 96, 128, 192, 256, 384, 512, 768]
const TRANSACTIONS = 60_000
/**
 * Ten times the duration with a large heap. A worker that needs longer does little but collect garbage, and has failed.
 */
const COMPLETED_WITHIN_MS = 180_000

/**
 * Finds the smallest heap with which the reference completes the small transactions, by binary search with one run per
 * step.
 */
export const heap: Bench = {
  name: NAME,
  summary: 'the smallest -Xmx with which the reference completes small transactions',
  async run(options) {
    const list = new FigureList(NAME)
    const load = { database: NAME, amount: options.isQuick ? TRANSACTIONS / 10 : TRANSACTIONS }
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await smallTransactions.create(rig.database, load)
    const tries = Math.ceil(Math.log2(HEAPS_MB.length)) + 1
    await createConnectors(rig, tries)
    await smallTransactions.fill(rig.database, load)
    let [tooSmall, enough] = [-1, HEAPS_MB.length]
    for (let attempt = 0; enough - tooSmall > 1; attempt++) {
      const middle = Math.floor((tooSmall + enough) / 2)
      const heapMaxMb = HEAPS_MB[middle] ?? 0
      const prefix = prefixOf(attempt)
      const isCompleted = await completes({
        rig,
        heapMaxMb,
        prefix,
        expected: smallTransactions.expected(prefix, load),
      })
      options.note(`heap: ${heapMaxMb} MB ${isCompleted ? 'is enough' : 'is too small'}`)
      if (isCompleted) enough = middle
      else tooSmall = middle
    }
    list.add('smallest heap that completes W1', 'MB of -Xmx', HEAPS_MB[enough] ?? NaN, reference.name)
    return list.figures
  },
}

function prefixOf(attempt: number): string {
  return `${NAME}${attempt}`
}

/** Creates one connector per attempt, on a worker with the default heap. */
async function createConnectors(rig: Rig, count: number): Promise<void> {
  await using worker = await rig.worker(reference)
  const prefixes = Array.from({ length: count }, (_, attempt) => prefixOf(attempt))
  await startAndStop(
    prefixes.map((prefix) => new SystemConnector({ rig, system: reference, worker, prefix, includes: NAME })),
  )
}

interface Attempt {
  readonly rig: Rig
  readonly heapMaxMb: number
  readonly prefix: string
  readonly expected: ReturnType<typeof smallTransactions.expected>
}

/**
 * True when all records arrive in time. Every other outcome counts as failure: no start, a failed task, or no progress.
 */
async function completes({ rig, heapMaxMb, prefix, expected }: Attempt): Promise<boolean> {
  await createTopics(rig.bootstrapServers, expected.keys())
  try {
    await using worker = await rig.worker(reference, { heapMaxMb })
    await using ends = new TopicEnds(rig.bootstrapServers, [...expected.keys()])
    await new SystemConnector({ rig, system: reference, worker, prefix, includes: NAME }).resume()
    await ends.waitFor(countRecords(expected), { timeoutMs: COMPLETED_WITHIN_MS })
    return true
  } catch {
    return false
  }
}
