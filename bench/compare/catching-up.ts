import { eventually, temporaryFolder, type Service } from '@tributary/testkit'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FigureList, OF_MACHINE, type Bench, type BenchOptions } from '../run/bench.ts'
import { createNumbers } from '../load/numbers.ts'
import { warmUpBroker } from '../rig/warm-broker.ts'
import { logBytes } from '../measure/log-bytes.ts'
import { resetPeakMemory, peakMemoryMb, processorSeconds } from '../measure/process-usage.ts'
import { largestEntries } from '../measure/profile.ts'
import { StolenTime } from '../measure/stolen-time.ts'
import { TopicEnds } from '../measure/topic-ends.ts'
import { verifyTopic } from '../measure/verify-topic.ts'
import { Rig } from '../rig/rig.ts'
import { letterOf, type System } from '../systems/system.ts'
import { countRecords, type Load, type Workload } from '../workloads/workload.ts'
import { checkEquality } from './check-equality.ts'
import { startAndStop, SystemConnector } from '../rig/system-connector.ts'
import { interleaved, type Turn } from './interleaved.ts'
import { avroFormat, jsonFormat, type RecordFormat } from './record-format.ts'
import { createTopics, deleteTopics } from '../rig/topics.ts'

/** A row that measures how fast systems catch up with a workload. */
export interface CatchingUp {
  /** Names the row and its database. */
  readonly name: string
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly isRun?: 'always' | 'quick'
  readonly workload: Workload
  readonly amount: number
  readonly quickAmount: number
  /** The amount that is compared record by record beforehand. */
  readonly comparedAmount: number
  /**
   * True: one worker makes all runs, after an additional run that warms up its JIT compiler. False: each run has a new
   * worker.
   */
  readonly isWarm: boolean
  readonly connector?: Readonly<Record<string, string>>
  /** All systems write Avro, with one schema registry. */
  readonly isAvro?: true
}

/**
 * Measures from the connection to the binlog until the broker reports the last record. The backlog is made once, while
 * all connectors are stopped. Each run has a connector of its own, which has read the tables before.
 */
export function catchingUp(row: CatchingUp): Bench {
  return {
    ...row,
    async run(options) {
      await using profiles = temporaryFolder('profile')
      const nodeArgs = options.profileEntries > 0 ? ['--cpu-prof', `--cpu-prof-dir=${profiles.path}`] : []
      await using rig = await Rig.start({ ...options, nodeArgs })
      const comparison = new Comparison(rig, row, options)
      const figures = await comparison.run(profiles.path)
      for (const { what, share } of largestEntries(profiles.path, options.profileEntries)) {
        options.note(`${(share * 100).toFixed(1).padStart(5)} %  ${what}`)
      }
      return figures
    },
  }
}

class Comparison {
  readonly #rig: Rig
  readonly #row: CatchingUp
  readonly #options: BenchOptions
  readonly #load: Load
  readonly #list: FigureList
  #workers: ReadonlyMap<System, Service> = new Map()
  readonly #connectors = new Map<Turn, SystemConnector>()
  #format: RecordFormat = jsonFormat

  constructor(rig: Rig, row: CatchingUp, options: BenchOptions) {
    this.#rig = rig
    this.#row = row
    this.#options = options
    this.#load = { database: row.name, amount: options.isQuick ? row.quickAmount : row.amount }
    this.#list = new FigureList(row.name)
  }

  async run(profileFolder: string): Promise<FigureList['figures']> {
    const { database } = this.#rig
    const { name, summary, workload, isWarm } = this.#row
    const { systems, runs, note, isQuick } = this.#options
    note(`${name}: ${summary}; ${this.#load.amount.toLocaleString('en')} ${workload.unit} …`)
    await createNumbers(database)
    if (this.#row.isAvro === true) this.#format = await avroFormat(this.#rig)
    this.#workers = await this.#rig.workers(systems)
    await this.#checkEquality()
    await workload.create(database, this.#load)
    const warmUps = isWarm ? systems.map((system) => ({ system, run: WARM_UP })) : []
    const turns = [...warmUps, ...interleaved(systems, runs)]
    await Promise.all(systems.map((system) => this.#createConnectors(turns.filter((turn) => turn.system === system))))
    if (!isWarm) {
      for (const worker of this.#workers.values()) await worker.stop()
      // In warm rows, the runs that are not counted warm up the broker.
      await warmUpBroker(this.#rig.bootstrapServers, isQuick)
    }
    note('  making the changes …')
    await workload.fill(database, this.#load)
    // Deletes the profiles of the runs so far, which were not measured.
    for (const file of readdirSync(profileFolder)) rmSync(join(profileFolder, file))
    for (const turn of turns) await this.#measure(turn)
    for (const worker of this.#workers.values()) await worker.stop()
    return this.#list.figures
  }

  async #checkEquality(): Promise<void> {
    const { name, workload, comparedAmount } = this.#row
    const load = { database: `${name}check`, amount: comparedAmount }
    const connector = (prefix: string): Readonly<Record<string, string>> => this.#connectorOf(load, prefix)
    const { note } = this.#options
    await checkEquality({
      rig: this.#rig,
      workers: this.#workers,
      workload,
      load,
      connector,
      note,
      read: this.#format.read,
    })
  }

  #connectorOf(load: Load, prefix: string): Readonly<Record<string, string>> {
    return { ...this.#row.workload.connector?.(load, prefix), ...this.#row.connector, ...this.#format.connector }
  }

  /** Creates a connector for each turn of a system. */
  async #createConnectors(turns: readonly Turn[]): Promise<void> {
    const rig = this.#rig
    const includes = this.#load.database
    for (const turn of turns) {
      const { system } = turn
      const prefix = this.#prefixOf(turn)
      await createTopics(rig.bootstrapServers, this.#row.workload.expected(prefix, this.#load).keys())
      const worker = this.#workerOf(system)
      const more = this.#connectorOf(this.#load, prefix)
      this.#connectors.set(turn, new SystemConnector({ rig, system, worker, prefix, includes, more }))
    }
    await startAndStop(turns.map((turn) => this.#connectorOfTurn(turn)))
  }

  #connectorOfTurn(turn: Turn): SystemConnector {
    const connector = this.#connectors.get(turn)
    if (connector === undefined) throw new Error(`no connector for run ${turn.run} of ${turn.system.name}`)
    return connector
  }

  async #measure(turn: Turn): Promise<void> {
    const { system, run } = turn
    const { bootstrapServers } = this.#rig
    const worker = this.#workerOf(system)
    const connector = this.#connectorOfTurn(turn)
    if (!this.#row.isWarm) await worker.start()
    const expected = this.#row.workload.expected(connector.prefix, this.#load)
    const records = countRecords(expected)
    await using ends = new TopicEnds(bootstrapServers, [...expected.keys()])
    await ends.total()
    const logged = worker.log.length
    // The peak so far is from the start, when the connectors of all runs started at the same time.
    resetPeakMemory(worker.pid)
    await connector.resume()
    await connector.waitUntilStreaming(logged)
    const begin = performance.now()
    const stolenTime = new StolenTime()
    const processorBegin = processorSeconds(worker.pid)
    await ends.waitFor(records, { everyMs: 20 })
    if (system.isTransactional === true) await waitForCommitted(worker, connector.prefix, records)
    const seconds = (performance.now() - begin) / 1000
    const stolen = stolenTime.share()
    const processor = processorSeconds(worker.pid) - processorBegin
    const peakMb = peakMemoryMb(worker.pid)
    await connector.delete()
    if (!this.#row.isWarm) await worker.stop()
    let bytes = 0
    for (const [topic, counts] of expected) {
      await verifyTopic(bootstrapServers, topic, counts, this.#format.read)
      bytes += logBytes(this.#rig.kafka, topic)
    }
    await deleteTopics(bootstrapServers, expected.keys())
    if (run === WARM_UP) return
    this.#add(system, { records, seconds, processor, peakMb, bytes, stolen })
  }

  #add(system: System, { records, seconds, processor, peakMb, bytes, stolen }: Measured): void {
    const list = this.#list
    const { name } = system
    const changes = this.#row.workload.changes(this.#load)
    list.add('changes', '1/s', changes / seconds, name)
    if (records !== changes) list.add('records', '1/s', records / seconds, name)
    list.add('processor time', 's per million changes', (processor / changes) * 1e6, name)
    list.add('changes per processor second', '1/s', changes / processor, name)
    list.add('peak memory', 'MB', peakMb, name)
    list.add('size in the topic', 'bytes per record', bytes / records, name)
    list.add('stolen by other guests', OF_MACHINE, stolen, name)
    const rate = Math.round(changes / seconds).toLocaleString('en')
    const cost = `${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of processor time`
    this.#options.note(`  ${name}: ${rate} changes/s in ${cost}; ${stolen.toFixed(0)} % stolen`)
  }

  #workerOf(system: System): Service {
    const worker = this.#workers.get(system)
    if (worker === undefined) throw new Error(`${system.name} has no worker`)
    return worker
  }

  #prefixOf({ system, run }: Turn): string {
    return `${this.#row.name}${letterOf(system)}${run === WARM_UP ? 'warm' : run}`
  }
}

/** Asks the task for the last records, because the end offsets of transactional topics include control records. */
async function waitForCommitted(worker: Service, connector: string, records: number): Promise<void> {
  const line = new RegExp(`^tributary_records_acknowledged_total\\{connector="${connector}".*\\} (\\S+)`, 'm')
  const isThere = async (): Promise<boolean> => {
    const text = await (await fetch(`${worker.url}/metrics`)).text()
    return Number(line.exec(text)?.[1] ?? 0) >= records
  }
  await eventually(`${records} records of ${connector} are committed`, isThere, { timeoutMs: 120_000, everyMs: 5 })
}

interface Measured {
  readonly records: number
  readonly seconds: number
  readonly processor: number
  readonly peakMb: number
  readonly bytes: number
  /** In percent of the processors. */
  readonly stolen: number
}

const WARM_UP = -1
