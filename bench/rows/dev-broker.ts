import { startDevBroker, startService, type Service } from '@tributary/testkit'
import { createNumbers } from '../load/numbers.ts'
import { peakMemoryMb, processorSeconds, resetPeakMemory } from '../measure/process-usage.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import { Rig } from '../rig/rig.ts'
import { startAndStop, SystemConnector } from '../rig/system-connector.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'
import { FigureList, type Bench, type BenchOptions } from '../run/bench.ts'
import { tributary } from '../systems/system.ts'
import { smallTransactions } from '../workloads/small-transactions.ts'
import { countRecords, type Load } from '../workloads/workload.ts'

const AMOUNT = 300_000
const QUICK_AMOUNT = 15_000
/** Not counted: it warms up both brokers. */
const WARM_UP = -1

/**
 * W1, written to the development broker and to Kafka in turn: the same backlog of the same database, a worker for each
 * broker.
 */
export const devBroker: Bench = {
  name: 'devbroker',
  summary: 'W1 on the development broker beside Kafka: the rate, and processor time and memory of both brokers',
  async run(options) {
    const { note, runs, isQuick } = options
    const load = { database: 'devbroker', amount: isQuick ? QUICK_AMOUNT : AMOUNT }
    note(`devbroker: ${load.amount.toLocaleString('en')} small transactions …`)
    await using rig = await Rig.start(options)
    await using broker = await startDevBroker()
    await createNumbers(rig.database)
    await smallTransactions.create(rig.database, load)
    const onKafka = await rig.service('kafka')
    await using onBroker = await startService({ ...broker, name: 'broker', ...entryOf(options), env: DEFAULTS })
    const kafkaPid = rig.kafka.brokers[0]?.pid ?? 0
    const sides: readonly Side[] = [
      { name: 'development broker', bootstrapServers: broker.bootstrapServers, worker: onBroker, pid: broker.pid },
      { name: 'Kafka', bootstrapServers: rig.bootstrapServers, worker: onKafka, pid: kafkaPid },
    ]
    const turns: Turn[] = []
    for (const run of [WARM_UP, ...Array.from({ length: runs }, (_, i) => i)]) {
      for (const side of run % 2 === 0 ? sides : sides.toReversed()) turns.push(await turnOf(rig, side, load, run))
    }
    for (const side of sides) {
      await startAndStop(turns.filter((turn) => turn.side === side).map(({ connector }) => connector))
    }
    note('  making the changes …')
    await smallTransactions.fill(rig.database, load)
    const list = new FigureList('devbroker')
    for (const turn of turns) await measure(turn, load, { list, options })
    return list.figures
  },
}

/** As the rig starts its services: the interval is the default, not that of the testkit. */
const DEFAULTS = { OFFSET_FLUSH_INTERVAL_MS: undefined }

function entryOf({ entry }: BenchOptions): { readonly entry?: string } {
  return entry === null ? {} : { entry }
}

interface Side {
  readonly name: string
  readonly bootstrapServers: readonly string[]
  readonly worker: Service
  /** Of the broker. */
  readonly pid: number
}

interface Turn {
  readonly side: Side
  readonly connector: SystemConnector
  readonly run: number
}

async function turnOf(rig: Rig, side: Side, load: Load, run: number): Promise<Turn> {
  const prefix = `devbroker${run === WARM_UP ? 'warm' : run}`
  await createTopics(side.bootstrapServers, smallTransactions.expected(prefix, load).keys())
  const more = { 'schema.history.internal.kafka.bootstrap.servers': side.bootstrapServers.join(',') }
  const plan = { rig, system: tributary, worker: side.worker, prefix, includes: load.database, more }
  return { side, run, connector: new SystemConnector(plan) }
}

interface Results {
  readonly list: FigureList
  readonly options: BenchOptions
}

async function measure({ side, connector, run }: Turn, load: Load, { list, options }: Results): Promise<void> {
  const { name, bootstrapServers, worker, pid } = side
  const expected = smallTransactions.expected(connector.prefix, load)
  await using ends = new TopicEnds(bootstrapServers, [...expected.keys()])
  await ends.total()
  const logged = worker.log.length
  for (const each of [pid, worker.pid]) resetPeakMemory(each)
  await connector.resume()
  await connector.waitUntilStreaming(logged)
  const begin = performance.now()
  const before = [pid, worker.pid].map(processorSeconds)
  await ends.waitFor(countRecords(expected), { everyMs: 20 })
  const seconds = (performance.now() - begin) / 1000
  const used = [pid, worker.pid].map((each, i) => processorSeconds(each) - (before[i] ?? 0))
  const [brokerSeconds = 0, workerSeconds = 0] = used
  const [brokerMb, workerMb] = [peakMemoryMb(pid), peakMemoryMb(worker.pid)]
  await connector.delete()
  for (const [topic, counts] of expected) await verifyTopic(bootstrapServers, topic, counts)
  await deleteTopics(bootstrapServers, expected.keys())
  if (run === WARM_UP) return
  const changes = smallTransactions.changes(load)
  const perMillion = 1e6 / changes
  list.add(`${name}: changes`, '1/s', changes / seconds)
  list.add(`${name}: processor time of the worker`, 's per million changes', workerSeconds * perMillion)
  list.add(`${name}: processor time of the broker`, 's per million changes', brokerSeconds * perMillion)
  list.add(`${name}: peak memory of the worker`, 'MB', workerMb)
  list.add(`${name}: peak memory of the broker`, 'MB', brokerMb)
  options.note(`  ${name}: ${Math.round(changes / seconds).toLocaleString('en')} changes/s in ${seconds.toFixed(1)} s`)
}
