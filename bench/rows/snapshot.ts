import type { Service } from '@tributary/testkit'
import { FigureList, OF_MACHINE, type Bench, type BenchOptions, type Figure } from '../run/bench.ts'
import { SystemConnector } from '../rig/system-connector.ts'
import { interleaved, type Turn } from '../compare/interleaved.ts'
import { avroFormat, jsonFormat, type RecordFormat } from '../compare/record-format.ts'
import { requireSameRecords } from '../compare/same-records.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'
import { createNumbers, insertRows } from '../load/numbers.ts'
import { warmUpBroker } from '../rig/warm-broker.ts'
import { createTables, NARROW, WIDE, type TablePlan } from '../load/tables.ts'
import { LockProbe } from '../measure/lock-probe.ts'
import { peakMemoryMb, processorSeconds } from '../measure/process-usage.ts'
import { StolenTime } from '../measure/stolen-time.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import { Rig } from '../rig/rig.ts'
import { letterOf, type System } from '../systems/system.ts'
import type { Shape } from '../workloads/shaped.ts'

export interface SnapshotRow extends Pick<Bench, 'name' | 'aliases' | 'summary' | 'isRun'> {
  readonly table: TablePlan
  readonly rows: number
  readonly quickRows: number
  readonly connector?: Readonly<Record<string, string>>
  /** What the connector does to its records. */
  readonly shape?: Shape
  /** All systems write Avro, with one schema registry. */
  readonly isAvro?: true
}

/**
 * S1: an initial snapshot, from the registration of the connector until the last row is in its topic. Each run has a
 * new worker.
 */
export function snapshotRow(row: SnapshotRow): Bench {
  return {
    ...row,
    async run(options) {
      await using rig = await Rig.start(options)
      return await new SnapshotComparison(rig, row, options).run()
    },
  }
}

export const narrowSnapshot: Bench = snapshotRow({
  name: 's1narrow',
  aliases: ['s1', 'snapshot'],
  summary: 'the initial snapshot of rows of 3 columns, cold',
  isRun: 'quick',
  table: NARROW,
  rows: 2_000_000,
  quickRows: 100_000,
})

export const wideSnapshot: Bench = snapshotRow({
  name: 's1wide',
  aliases: ['s1', 'snapshot'],
  summary: 'the initial snapshot of rows of 52 columns, cold',
  isRun: 'always',
  table: WIDE,
  rows: 200_000,
  quickRows: 10_000,
})

const COMPARED_ROWS = 5_000

class SnapshotComparison {
  readonly #rig: Rig
  readonly #row: SnapshotRow
  readonly #options: BenchOptions
  readonly #rows: number
  readonly #list: FigureList
  #workers: ReadonlyMap<System, Service> = new Map()
  #format: RecordFormat = jsonFormat

  constructor(rig: Rig, row: SnapshotRow, options: BenchOptions) {
    this.#rig = rig
    this.#row = row
    this.#options = options
    this.#rows = options.isQuick ? row.quickRows : row.rows
    this.#list = new FigureList(row.name)
  }

  async run(): Promise<readonly Figure[]> {
    const { systems, runs, note, isQuick } = this.#options
    const { name, summary } = this.#row
    note(`${name}: ${summary}; ${this.#rows.toLocaleString('en')} rows …`)
    await createNumbers(this.#rig.database)
    await this.#fill(`${name}check`, COMPARED_ROWS)
    await this.#fill(name, this.#rows)
    if (this.#row.isAvro === true) this.#format = await avroFormat(this.#rig)
    this.#workers = await this.#rig.workers(systems)
    await this.#checkEquality()
    for (const worker of this.#workers.values()) await worker.stop()
    await warmUpBroker(this.#rig.bootstrapServers, isQuick)
    for (const turn of interleaved(systems, runs)) await this.#measure(turn)
    return this.#list.figures
  }

  async #fill(database: string, rows: number): Promise<void> {
    const { table } = this.#row
    await createTables(this.#rig.database, database, { customers: table })
    const plan = { table: `${database}.customers`, rows, values: table.values, isHidden: true }
    await insertRows(this.#rig.database, plan)
  }

  async #checkEquality(): Promise<void> {
    if (this.#workers.size < 2) return
    this.#options.note('  comparing the records …')
    const { bootstrapServers } = this.#rig
    const database = `${this.#row.name}check`
    const written: { readonly prefix: string; readonly topics: readonly string[] }[] = []
    for (const system of this.#workers.keys()) {
      const prefix = `${database}${letterOf(system)}`
      const topic = this.#topic(prefix, database)
      const connector = this.#connector(system, prefix, {
        database,
        more: system.kind === 'tributary' ? { 'source.struct.version': 'v2' } : {},
      })
      await connector.register()
      await using ends = new TopicEnds(bootstrapServers, [topic])
      await ends.waitFor(COMPARED_ROWS)
      await connector.delete()
      written.push({ prefix, topics: [topic] })
    }
    const [first, ...others] = written
    if (first === undefined) return
    for (const other of others) await requireSameRecords(bootstrapServers, first, other, this.#format.read)
  }

  #connector(system: System, prefix: string, { database, more }: ConnectorParts): SystemConnector {
    const worker = this.#workerOf(system)
    const { connector, shape } = this.#row
    const all = { ...connector, ...shape?.connector, ...this.#format.connector, ...more }
    return new SystemConnector({ rig: this.#rig, system, worker, prefix, includes: database, more: all })
  }

  #topic(prefix: string, database: string): string {
    const name = `${prefix}.${database}.customers`
    return this.#row.shape?.topic(name) ?? name
  }

  #workerOf(system: System): Service {
    const worker = this.#workers.get(system)
    if (worker === undefined) throw new Error(`${system.name} has no worker`)
    return worker
  }

  async #measure({ system, run }: Turn): Promise<void> {
    const { bootstrapServers, database } = this.#rig
    const { name } = this.#row
    const prefix = `${name}${letterOf(system)}${run}`
    const topic = this.#topic(prefix, name)
    await createTopics(bootstrapServers, [topic])
    const worker = this.#workerOf(system)
    await worker.start()
    const connector = this.#connector(system, prefix, { database: name, more: {} })
    const probe = await LockProbe.start(database)
    await using ends = new TopicEnds(bootstrapServers, [topic])
    await ends.total()
    const begin = performance.now()
    const stolenTime = new StolenTime()
    const processorBegin = processorSeconds(worker.pid)
    await connector.register()
    await ends.waitFor(this.#rows, { everyMs: 20 })
    const seconds = (performance.now() - begin) / 1000
    const stolen = stolenTime.share()
    const processor = processorSeconds(worker.pid) - processorBegin
    const lockMs = await probe.longestMs()
    const peakMb = peakMemoryMb(worker.pid)
    // Without waiting for the end of the snapshot: the task may still be completing it when the last row arrives.
    await connector.delete()
    await worker.stop()
    await verifyTopic(bootstrapServers, topic, { r: this.#rows }, this.#format.read)
    await deleteTopics(bootstrapServers, [topic])
    const list = this.#list
    list.add('rows', '1/s', this.#rows / seconds, system.name)
    list.add('processor time', 's per million rows', (processor / this.#rows) * 1e6, system.name)
    list.add('peak memory', 'MB', peakMb, system.name)
    list.add('longest wait of a write during the snapshot', 'ms', lockMs, system.name)
    list.add('stolen by other guests', OF_MACHINE, stolen, system.name)
    const rate = Math.round(this.#rows / seconds).toLocaleString('en')
    this.#options.note(`  ${system.name}: ${rate} rows/s in ${seconds.toFixed(1)} s; ${stolen.toFixed(0)} % stolen`)
  }
}

interface ConnectorParts {
  readonly database: string
  readonly more: Readonly<Record<string, string>>
}
