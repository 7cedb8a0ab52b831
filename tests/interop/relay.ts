import assert from 'node:assert/strict'
import type { LogRecord } from '@tributary/kafka'
import {
  connectorConfig,
  type Database,
  eventually,
  kafkaClient,
  readTopic,
  type SeededRandom,
  type Service,
  startConnect,
  startService,
  uniqueName,
} from '@tributary/testkit'
import { EventAudit } from '../e2e/kill-nine/event-audit.ts'
import { Writer } from '../e2e/kill-nine/writer.ts'
import { FormAudit } from './form-audit.ts'
import { readWithJava } from './java-reader.ts'
import type { Side } from './side.ts'

export const PARTITIONS = 6
const FIRST_ROWS = 300
/**
 * A worker of Kafka Connect on a machine with two cores that others use, too; after a kill it waits for the end of a
 * session.
 */
const START_TIMEOUT_MS = 180_000
const WAITING = { timeoutMs: 180_000, everyMs: 200 } as const

/** The log line of either side that continues from a stored offset. */
const GOES_ON = /A previous offset indicating a completed snapshot has been found/
/** The log line of either side that takes a snapshot, or does not find what the other has stored. */
const SNAPSHOTS = /No previous offset has been found|Snapshot step|Snapshotting contents|snapshot is not complete/i

export interface RelayOptions {
  readonly database: Database
  readonly bootstrapServers: readonly string[]
  readonly random: SeededRandom
  /** `source.struct.version` of the connector; null when it is not set. Default v2. */
  readonly form?: 'v2' | null
  /** Both sides deliver exactly once. Default: at least once. */
  readonly isExactlyOnce?: boolean
  /** Further properties of the connector, whose name is that of its database. */
  readonly more?: (name: string) => Readonly<Record<string, string>>
}

const EXACTLY_ONCE = { 'exactly.once.source.support': 'enabled' } as const
const EXACTLY_ONCE_ENV = { CONNECT_EXACTLY_ONCE_SOURCE_SUPPORT: 'enabled' } as const

/**
 * One connector that Tributary and Kafka Connect run in turns: same group, same three internal topics, same schema
 * history, same topics of six partitions, one document. A table is changed all the time.
 *
 *     await using relay = await Relay.open({ database, bootstrapServers, random })
 *     await relay.begin('tributary')
 *     await relay.goOn('connect')
 */
export class Relay implements AsyncDisposable {
  readonly name: string
  readonly config: Readonly<Record<string, string>>
  readonly writer: Writer
  readonly #options: RelayOptions
  readonly #workers: Partial<Record<Side, Service>> = {}
  #running: Side | null = null

  private constructor(name: string, writer: Writer, options: RelayOptions) {
    this.name = name
    this.writer = writer
    this.#options = options
    const form = options.form === null ? {} : { 'source.struct.version': 'v2' }
    const required = options.isExactlyOnce === true ? { 'exactly.once.support': 'required' } : {}
    this.config = connectorConfig({
      ...options,
      prefix: name,
      includes: name,
      more: { ...form, ...required, ...options.more?.(name) },
    })
  }

  /** Creates the table and its topic; nothing runs yet. */
  static async open(options: RelayOptions): Promise<Relay> {
    const { database, random } = options
    const name = uniqueName('relay')
    const relay = new Relay(name, await Writer.open(database, name, random, FIRST_ROWS), options)
    await relay.createTopic('items')
    return relay
  }

  /** Creates the topic of a future table: one that a side created would have one partition. */
  async createTopic(table: string): Promise<void> {
    await using admin = (await kafkaClient(this.#options.bootstrapServers)).admin()
    await admin.createTopic({ name: this.topic(table), partitions: PARTITIONS, replicationFactor: 1 })
  }

  topic(table: string): string {
    return `${this.name}.${this.name}.${table}`
  }

  /** The worker of a side that has run. */
  worker(side: Side): Service {
    const worker = this.#workers[side]
    assert.ok(worker !== undefined, `${side} has not run yet`)
    return worker
  }

  /** Starts a worker; it knows of no connector unless the other has stored it. */
  async start(side: Side): Promise<Service> {
    assert.equal(this.#running, null)
    this.#running = side
    const known = this.#workers[side]
    if (known !== undefined) {
      await known.start()
      return known
    }
    const { bootstrapServers, isExactlyOnce = false } = this.#options
    const { name } = this
    const worker =
      side === 'connect'
        ? await startConnect({ bootstrapServers, name, ...(isExactlyOnce && { properties: EXACTLY_ONCE }) })
        : await startService({ bootstrapServers, name, ...(isExactlyOnce && { env: EXACTLY_ONCE_ENV }) })
    this.#workers[side] = worker
    return worker
  }

  /** The first of the two: registers the connector, which takes its snapshot and streams. */
  async begin(side: Side): Promise<void> {
    const worker = await this.start(side)
    await worker.register(this.name, this.config)
    await worker.waitUntilRunning(this.name, START_TIMEOUT_MS)
    // Its rows are counted: nothing changes until it has ended.
    await this.waitUntilTold()
    await this.writer.small()
    await this.#waitForStoredSnapshot()
    await this.change()
    await this.waitUntilTold()
  }

  /** Starts the other side, or the same one again: it must find everything and continue without a snapshot. */
  async goOn(side: Side): Promise<void> {
    const from = this.#workers[side]?.log.length ?? 0
    const worker = await this.start(side)
    await worker.waitUntilRunning(this.name, START_TIMEOUT_MS)
    await worker.waitForLog(GOES_ON, from, START_TIMEOUT_MS)
    await this.change()
    await this.waitUntilTold()
    assert.doesNotMatch(worker.log.slice(from), SNAPSHOTS)
  }

  /** Some transactions. */
  async change(transactions = 5): Promise<void> {
    for (let i = 0; i < transactions; i++) await this.writer.small()
  }

  /** Stops or kills the running side in the middle of a stream of changes; more changes follow while neither runs. */
  async end(how: 'stop' | 'kill'): Promise<void> {
    const running = this.#running
    assert.ok(running !== null)
    const size = (await this.#audit()).events
    await this.writer.large(2000)
    await this.change()
    await eventually('the first of many changes arrive', async () => (await this.#audit()).events > size, WAITING)
    await this.halt(how)
    await this.change()
  }

  /** Freezes the running side in the middle of a stream of changes, so that another one can start. */
  async freeze(): Promise<Service> {
    assert.ok(this.#running !== null)
    const worker = this.worker(this.#running)
    await this.writer.large(2000)
    process.kill(worker.pid, 'SIGSTOP')
    this.#running = null
    await this.#untilGroupIsEmpty()
    await this.change()
    return worker
  }

  /** Until then a worker of Kafka Connect, which speaks another protocol, ends at once. */
  async #untilGroupIsEmpty(): Promise<void> {
    const times = { sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 10_000, requestTimeoutMs: 10_000 }
    const kafka = await kafkaClient(this.#options.bootstrapServers)
    await using group = kafka.group({ groupId: this.name, protocolType: 'connect', protocols: [], ...times })
    const isEmpty = async (): Promise<boolean> => (await group.describe()).members.length === 0
    await eventually('the coordinator has removed the frozen worker', isEmpty, WAITING)
  }

  /** Stops the running side. */
  async halt(how: 'stop' | 'kill' = 'stop'): Promise<void> {
    assert.ok(this.#running !== null)
    await this.worker(this.#running)[how]()
    this.#running = null
  }

  /** Waits until the last version of every row has arrived. */
  async waitUntilTold(): Promise<void> {
    const isComplete = async (): Promise<boolean> => {
      const { keys } = await this.#audit()
      return [...this.writer.rows].every(([id, { version }]) => (keys.get(id)?.last ?? 0) >= version)
    }
    await eventually('the last version of every row has arrived', isComplete, WAITING)
  }

  async #audit(): Promise<EventAudit> {
    const audit = new EventAudit()
    for (const record of await readTopic(this.#options.bootstrapServers, this.topic('items'))) audit.add(record)
    return audit
  }

  /** Until then the other side would correctly begin a new snapshot. */
  async #waitForStoredSnapshot(): Promise<void> {
    const isStored = async (): Promise<boolean> => {
      const stored = await this.storedOffset()
      return stored !== null && !('snapshot' in stored)
    }
    await eventually('the end of the snapshot is stored', isStored, WAITING)
  }

  /** The stored offset of the connector in the topic. */
  async storedOffset(): Promise<Readonly<Record<string, unknown>> | null> {
    const key = JSON.stringify([this.name, { server: this.name }])
    const records = await readTopic(this.#options.bootstrapServers, `${this.name}_offsets`)
    const text = records.findLast((record) => record.key?.toString() === key)?.value?.toString()
    return text === undefined ? null : (JSON.parse(text) as Readonly<Record<string, unknown>>)
  }

  /**
   * Checks what the independent reader finds: every change of every row, in order, in one form, each key in one
   * partition, and no snapshot event except those of the first snapshot. `versions`: the number of table definitions
   * under which rows were changed.
   */
  async check(versions = 1): Promise<RelayResult> {
    await this.waitUntilTold()
    const records = await this.read('items')
    const events = new EventAudit()
    const forms = new FormAudit()
    for (const record of records) {
      events.add(record)
      forms.add(record)
    }
    events.finish()
    assert.deepEqual(events.faults.slice(0, 20), [])
    forms.finish({ partitions: PARTITIONS, versions })
    assert.equal(forms.snapshotEvents, FIRST_ROWS)
    await this.#compareWithSelect(events)
    return { ...forms.events, changes: this.writer.changes - FIRST_ROWS, repeats: events.repeats }
  }

  /** All records of a table's topic, read by Kafka's own consumer. */
  async read(table: string): Promise<readonly LogRecord[]> {
    const { bootstrapServers } = this.#options
    const count = (await readTopic(bootstrapServers, this.topic(table))).length
    return readWithJava(bootstrapServers, this.topic(table), count)
  }

  async #compareWithSelect({ keys }: EventAudit): Promise<void> {
    const rows = await this.#options.database.query(`SELECT id, version, payload FROM ${this.name}.items ORDER BY id`)
    const state = [...keys]
      .filter(([, { isDeleted }]) => !isDeleted)
      .map(([id, { version, payload }]) => ({ id, version, payload }))
      .toSorted((a, b) => a.id - b.id)
    assert.deepEqual(
      state,
      rows.map(({ id, version, payload }) => ({ id, version, payload })),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.writer.close()
    for (const worker of Object.values(this.#workers)) await worker[Symbol.asyncDispose]()
  }
}

/** Figures of a run. */
export interface RelayResult extends Readonly<Record<Side, number>> {
  /** Row events after the snapshot. */
  readonly changes: number
  /** Repeated events. */
  readonly repeats: number
}
