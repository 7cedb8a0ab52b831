import assert from 'node:assert/strict'
import { systemClock } from '@tributary/support'
import {
  connectorConfig,
  type DatabaseServer,
  eventually,
  type FaultProxy,
  kafkaClient,
  type KafkaServer,
  readTopic,
  type SeededRandom,
  type Service,
  startFaultProxy,
  startKafka,
  startService,
  uniqueName,
} from '@tributary/testkit'
import { auditTopic, compareWithSelect } from '../kill-nine/audit-topic.ts'
import { Writer } from '../kill-nine/writer.ts'

export interface FaultRunOptions {
  readonly database: DatabaseServer
  readonly random: SeededRandom
  /** Rows of the table before the snapshot. */
  readonly firstRows?: number
  readonly brokers?: 1 | 3
  readonly partitions?: number
  /** More properties of the connector. */
  readonly more?: Readonly<Record<string, string>>
  /** How the first rows are copied. Default: locking. */
  readonly copy?: CopyMode
}

/** By an initial snapshot with a lock or without one, or by a signal to a connector that reads no rows of its own. */
export type CopyMode = 'locking' | 'lock-free' | 'incremental'

const COPIES: Readonly<
  Record<CopyMode, { readonly properties: Readonly<Record<string, string>>; readonly end: RegExp }>
> = {
  locking: { properties: {}, end: /Snapshot completed/ },
  'lock-free': { properties: { 'snapshot.locking.mode': 'none' }, end: /The incremental snapshot is complete/ },
  incremental: { properties: { 'snapshot.mode': 'no_data' }, end: /The incremental snapshot is complete/ },
}

/** The outcome of a run. */
export interface Figures {
  readonly changes: number
  readonly events: number
  readonly lost: number
  readonly outOfOrder: number
  /** Without rows of a snapshot that began again. */
  readonly repeats: number
  readonly readAgain: number
  /** The first faults that the audit of the events finds. */
  readonly faults: readonly string[]
}

/**
 * A table under load, a connector that captures it, and a proxy in front of the database and of each broker. Faults are
 * injected from outside; nothing helps the connector. At the end every event is checked.
 */
export class FaultRun implements AsyncDisposable {
  readonly schema: string
  readonly topic: string
  readonly database: DatabaseServer
  readonly kafka: KafkaServer
  readonly service: Service
  /** In front of the database. */
  readonly proxy: FaultProxy
  readonly random: SeededRandom
  readonly copy: CopyMode
  readonly #writer: Writer
  readonly #stack: AsyncDisposableStack
  readonly #load: Promise<void>
  readonly #stop = new AbortController()
  #loadFailure: unknown = null

  private constructor(parts: {
    schema: string
    options: FaultRunOptions
    kafka: KafkaServer
    service: Service
    proxy: FaultProxy
    writer: Writer
    stack: AsyncDisposableStack
  }) {
    this.schema = parts.schema
    this.topic = `${parts.schema}.${parts.schema}.items`
    this.database = parts.options.database
    this.random = parts.options.random
    this.copy = parts.options.copy ?? 'locking'
    this.kafka = parts.kafka
    this.service = parts.service
    this.proxy = parts.proxy
    this.#writer = parts.writer
    this.#stack = parts.stack
    this.#load = this.#write()
    // It is awaited at the end; until then only its failure is recorded.
    this.#load.catch((error: unknown) => (this.#loadFailure = error))
  }

  /** Starts everything: the snapshot and the load begin. */
  static async start(options: FaultRunOptions): Promise<FaultRun> {
    const { database, random, firstRows = 500, brokers = 1, partitions = 3, more = {} } = options
    const { properties } = COPIES[options.copy ?? 'locking']
    const schema = uniqueName('faults')
    await using stack = new AsyncDisposableStack()
    // The development broker forgets the members of groups when it ends: the tasks would start again.
    const kafka = stack.use(await startKafka({ brokers, behindProxy: true }))
    const proxy = stack.use(await startFaultProxy({ target: database }))
    const writer = await Writer.open(database, schema, random, firstRows)
    stack.defer(() => writer.close().catch(() => undefined))
    const { bootstrapServers } = kafka
    await using admin = (await kafkaClient(bootstrapServers)).admin()
    await admin.createTopic({ name: `${schema}.${schema}.items`, partitions, replicationFactor: brokers })
    const service = stack.use(await startService({ bootstrapServers }))
    const through = { 'database.hostname': proxy.host, 'database.port': String(proxy.port), ...properties, ...more }
    await service.register(
      schema,
      connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more: through }),
    )
    if (options.copy === 'incremental') await requestCopy(service, schema)
    return new FaultRun({ schema, options, kafka, service, proxy, writer, stack: stack.move() })
  }

  get changes(): number {
    return this.#writer.changes
  }

  get isSnapshotOver(): boolean {
    return COPIES[this.copy].end.test(this.service.log)
  }

  /**
   * Writes rows all the time, waits for a server that is down, and determines the outcome of its unfinished
   * transaction.
   */
  async #write(): Promise<void> {
    let mayDelete = false
    for (let n = 1; !this.#stop.signal.aborted; n++) {
      mayDelete ||= this.isSnapshotOver
      try {
        if (n % LARGE_EVERY === 0) await this.#writer.large(LARGE_ROWS)
        else await this.#writer.small(mayDelete)
      } catch (error) {
        if (!isConnectionLost(error)) throw error
        await this.#recover()
      }
      await systemClock.sleep(WRITE_PAUSE_MS)
    }
  }

  #recover(): Promise<true> {
    const look = async (): Promise<true> => {
      await this.#writer.recover(this.database)
      return true
    }
    return eventually('the database takes writes again', look, { timeoutMs: 120_000, everyMs: 200 })
  }

  async untilSnapshotIsOver(): Promise<void> {
    await this.service.waitForLog(COPIES[this.copy].end, 0, 300_000)
    await this.untilItGoesOn()
  }

  /** Waits until the connector has sent changes that are made from now on. */
  async untilItGoesOn(timeoutMs = 180_000): Promise<void> {
    const { changes } = this
    const size = await this.#size()
    const isFurther = async (): Promise<boolean> => this.changes > changes && (await this.#size()) > size
    try {
      await eventually('events of new changes arrive', isFurther, { timeoutMs, everyMs: 100 })
    } catch (error) {
      const cause = this.#loadFailure ?? error
      const made = `${this.changes - changes} changes were made, ${(await this.#size()) - size} records came`
      throw new Error(`${made}; the log ends with\n${this.service.log.slice(-4000)}`, { cause })
    }
  }

  async #size(): Promise<number> {
    await using reader = await (
      await kafkaClient(this.kafka.bootstrapServers)
    ).reader({ topic: this.topic, from: 'latest' })
    const ends = await reader.endOffsets()
    return [...ends.values()].reduce((sum, end) => sum + Number(end), 0)
  }

  /**
   * Ends the load, waits until all of it is sent, and checks it. The task must have run all the time without
   * intervention.
   */
  async finish(): Promise<Figures> {
    this.#stop.abort()
    await this.#load
    const { bootstrapServers } = this.kafka
    const audit = await auditTopic(bootstrapServers, this.topic, this.#writer, this.copy !== 'locking')
    const { events, lost, outOfOrder, readAgain } = audit
    const repeats = audit.repeats - readAgain
    const faults = audit.faults.slice(0, 20)
    if (faults.length === 0) await compareWithSelect(this.database, this.schema, audit)
    assert.equal((await this.service.taskState(this.schema)).state, 'RUNNING')
    const statuses = await readTopic(bootstrapServers, `${this.service.name}_statuses`)
    assert.deepEqual(
      statuses.map(({ value }) => String(value)).filter((text) => text.includes('FAILED')),
      [],
    )
    return { changes: this.changes, events, lost, outOfOrder, repeats, readAgain, faults }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#load.catch(() => undefined)
    await this.#stack.disposeAsync()
  }
}

/** Until the connector reads changes, it refuses signals. */
async function requestCopy(service: Service, schema: string): Promise<void> {
  const signal = { id: 'copy', type: 'execute-snapshot', data: { 'data-collections': [`${schema}.items`] } }
  const isAccepted = async (): Promise<boolean> =>
    (await service.rest('POST', `/connectors/${schema}/signals`, signal)).status === 202
  await eventually('the signal is accepted', isAccepted, { timeoutMs: 120_000, everyMs: 200 })
}

/** About 400 changes a second. */
const WRITE_PAUSE_MS = 50
/** Sometimes a transaction of several row events. */
const LARGE_EVERY = 100
const LARGE_ROWS = 3000

function isConnectionLost(error: unknown): boolean {
  return (
    error instanceof Error &&
    (('fatal' in error && error.fatal === true) || /closed state|ECONNRE|EPIPE|shutdown/i.test(error.message))
  )
}
