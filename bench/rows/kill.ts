import type { Service } from '@tributary/testkit'
import { FigureList, type Bench } from '../run/bench.ts'
import { startAndStop, SystemConnector } from '../rig/system-connector.ts'
import { interleaved, type Turn } from '../compare/interleaved.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'
import { createTables, CUSTOMERS } from '../load/tables.ts'
import { createNumbers, insertRows } from '../load/numbers.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { Rig } from '../rig/rig.ts'
import { referenceTuned, type System } from '../systems/system.ts'
import { smallTransactions } from '../workloads/small-transactions.ts'
import { countRecords, type Load } from '../workloads/workload.ts'

const NAME = 'kill'
/** `kill` is a keyword of SQL, so the database has another name. */
const DATABASE = 'killed'
/**
 * A table whose only row is inserted after the backlog: a system that has written its event has written all earlier
 * events.
 */
const MARKER = 'end_marker'
const TRANSACTIONS = 100_000
const QUICK_TRANSACTIONS = 10_000
/** The share of records after which the worker is killed. */
const KILLED_AT = 0.5

/**
 * Kills a worker with SIGKILL while it catches up with small transactions, restarts it, and measures the share of
 * repeated records. By default both systems commit offsets once a minute; the tuned reference commits them every
 * second.
 */
export const kill: Bench = {
  name: NAME,
  summary: 'kill -9 in the middle of small transactions: the share of records that is repeated',
  isRun: 'always',
  async run(options) {
    const list = new FigureList(NAME)
    const load = { database: DATABASE, amount: options.isQuick ? QUICK_TRANSACTIONS : TRANSACTIONS }
    await using rig = await Rig.start(options)
    await createNumbers(rig.database)
    await smallTransactions.create(rig.database, load)
    await createTables(rig.database, DATABASE, { [MARKER]: CUSTOMERS })
    const turns = interleaved(options.systems, options.runs)
    const connectors = new Map<Turn, SystemConnector>()
    for (const system of options.systems) {
      const worker = await rig.worker(system, { properties: system === referenceTuned ? EVERY_SECOND : {} })
      const own = turns.filter((turn) => turn.system === system)
      for (const turn of own) connectors.set(turn, await connectorOf({ rig, load, turn, worker }))
      await startAndStop(own.flatMap((turn) => connectors.get(turn) ?? []))
      await worker.stop()
    }
    options.note(`kill: making ${load.amount.toLocaleString('en')} transactions …`)
    await smallTransactions.fill(rig.database, load)
    await insertRows(rig.database, { table: `${DATABASE}.${MARKER}`, rows: 1, values: CUSTOMERS.values })
    for (const turn of turns) {
      const connector = connectors.get(turn)
      if (connector === undefined) throw new Error(`no connector for run ${turn.run} of ${turn.system.name}`)
      const { repeated, records } = await killOnce({ rig, load, connector })
      const percent = (repeated / records) * 100
      options.note(`kill: ${turn.system.name} repeats ${repeated} records, ${percent.toFixed(2)} %`)
      list.add('repeated records', 'records', repeated, turn.system.name)
      list.add('share of all that is repeated', '%', percent, turn.system.name)
    }
    return list.figures
  },
}

const EVERY_SECOND = { 'offset.flush.interval.ms': '1000' } as const

interface ConnectorParts {
  readonly rig: Rig
  readonly load: Load
  readonly turn: Turn
  readonly worker: Service
}

async function connectorOf({ rig, load, turn: { system, run }, worker }: ConnectorParts): Promise<SystemConnector> {
  const prefix = prefixOf(system, run)
  await createTopics(rig.bootstrapServers, topicsOf(prefix, load))
  return new SystemConnector({ rig, system, worker, prefix, includes: DATABASE })
}

function prefixOf(system: System, run: number): string {
  return `${NAME}${system.name.replaceAll('-', '')}${run}`
}

function topicsOf(prefix: string, load: Load): readonly string[] {
  return [...smallTransactions.expected(prefix, load).keys(), markerTopic(prefix)]
}

function markerTopic(prefix: string): string {
  return `${prefix}.${DATABASE}.${MARKER}`
}

interface KillRun {
  readonly rig: Rig
  readonly load: Load
  readonly connector: SystemConnector
}

interface Repeats {
  readonly repeated: number
  /** The number of records without a kill. */
  readonly records: number
}

async function killOnce({ rig, load, connector }: KillRun): Promise<Repeats> {
  const { bootstrapServers } = rig
  const { prefix, worker } = connector
  const expected = smallTransactions.expected(prefix, load)
  const records = countRecords(expected)
  await worker.start()
  await using ends = new TopicEnds(bootstrapServers, [...expected.keys()])
  await using end = new TopicEnds(bootstrapServers, [markerTopic(prefix)])
  await connector.resume()
  await ends.waitFor(records * KILLED_AT, { everyMs: 10 })
  await worker.kill()
  await worker.start()
  await end.waitFor(1)
  // Nothing is in flight after the marker: both systems send in order, and stop only when everything is sent.
  await connector.stop()
  const written = await ends.total()
  await connector.delete()
  await worker.stop()
  await deleteTopics(bootstrapServers, topicsOf(prefix, load))
  if (written < records) throw new Error(`${prefix} lost records: the topics contain ${written} of ${records}`)
  return { repeated: written - records, records }
}
