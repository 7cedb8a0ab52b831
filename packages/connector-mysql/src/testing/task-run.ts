import {
  type ConnectValue,
  Decimal,
  EncodedText,
  type OffsetDocument,
  type SignalResult,
  type SourceRecord,
  type SourceTaskContext,
  Struct,
  type TaskSignal,
  type TaskSnapshot,
} from '@tributary/connect-api'
import { type Clock, CodedError, LiveMeter, type Meter, systemClock } from '@tributary/support'
import {
  captureLogger,
  type CaptureLogger,
  connectorConfig,
  type Database,
  uniqueName,
  useKafka,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { BinlogTask } from '../binlog-task.ts'
import { mariadbKind, mysqlKind } from '../connector-kind.ts'

/** A database of its own, and a connector for it. */
export interface Scene {
  readonly database: Database
  readonly schema: string
  readonly config: Readonly<Record<string, string>>
}

/** `statements` are run in the new database. */
export async function sceneOf(database: Database, statements: string): Promise<Scene> {
  const schema = uniqueName('task')
  const { bootstrapServers } = await useKafka()
  await database.query(`CREATE DATABASE ${schema}; USE ${schema}; ${statements}`)
  const more = { 'poll.interval.ms': '50', 'source.struct.version': 'v2' }
  return {
    database,
    schema,
    config: connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema, more }),
  }
}

/** A data change, its values as text. */
export interface TaskEvent {
  readonly op: string
  readonly table: string
  readonly before: readonly string[] | null
  readonly after: readonly string[] | null
  /** `source.snapshot` */
  readonly marker: string
}

/** The part of a task's context that a test sets. */
export interface TaskRunContext extends Pick<SourceTaskContext, 'delivered' | 'mayWrite'> {
  readonly clock?: Clock
}

/** A task that is polled until it has yielded what the test waits for. */
export class TaskRun implements AsyncDisposable {
  readonly logger: CaptureLogger = captureLogger()
  readonly meter: Meter = new LiveMeter()
  /** Data changes so far. */
  readonly events: TaskEvent[] = []
  /** Number of data changes of each poll that yielded any. */
  readonly eventsByPoll: number[] = []
  /** Which of those polls reported that the next one yields more. */
  readonly hasMoreByPoll: boolean[] = []
  /** Statements for the schema change topic. */
  readonly statements: string[] = []
  /** Called with each record during its poll. */
  onRecord: (record: SourceRecord) => void = () => undefined
  /** Whether a record is a data change, or one of the topic of schema changes or transactions. Default: all. */
  isData: (record: SourceRecord) => boolean = () => true
  /** The offset that the runtime would store now. */
  stored: OffsetDocument | null
  readonly #task: BinlogTask
  readonly #stop = new AbortController()
  readonly #schema: string

  private constructor(task: BinlogTask, schema: string, stored: OffsetDocument | null) {
    this.#task = task
    this.#schema = schema
    this.stored = stored
  }

  static async start(
    { database, schema, config }: Scene,
    more: Readonly<Record<string, string>>,
    stored: OffsetDocument | null = null,
    { clock = systemClock, ...context }: TaskRunContext = {},
  ): Promise<TaskRun> {
    const task = new BinlogTask(database.flavor === 'mariadb' ? mariadbKind : mysqlKind)
    const run = new TaskRun(task, schema, stored)
    await task.start({
      config: { ...config, ...more },
      workerDefaults: {},
      connectorName: schema,
      taskNumber: 0,
      logger: run.logger,
      clock,
      meter: run.meter,
      storedOffset: () => stored,
      ...context,
    })
    return run
  }

  /** Operation and row of each, such as `r 1 one`. */
  get changes(): readonly string[] {
    return this.events.map(({ op, before, after }) => [op, ...(after ?? before ?? [])].join(' '))
  }

  /** Polls until the condition is true. A task that hangs fails the test with what it has logged. */
  async until(isEnough: (run: TaskRun) => boolean): Promise<void> {
    const limit = AbortSignal.timeout(HANG_MS)
    const signal = AbortSignal.any([this.#stop.signal, limit])
    while (!isEnough(this)) {
      const { records, progress, hasMore } = await this.#poll(signal, limit)
      const before = this.events.length
      for (const record of records) this.#take(record)
      if (this.events.length > before) {
        this.eventsByPoll.push(this.events.length - before)
        this.hasMoreByPoll.push(hasMore === true)
      }
      if (progress !== null) this.stored = progress.offset.toDocument()
    }
  }

  async #poll(signal: AbortSignal, limit: AbortSignal): ReturnType<BinlogTask['poll']> {
    try {
      return await this.#task.poll(signal)
    } catch (error) {
      if (!limit.aborted) throw error
      const log = this.logger.lines.map(({ message }) => message).join('\n')
      throw new Error(`after ${HANG_MS / 1000} s, ${this.events.length} changes and the log:\n${log}`, { cause: error })
    }
  }

  /** The runtime has stored the last offset. */
  async commit(): Promise<void> {
    const { stored } = this
    assert.ok(stored !== null)
    await this.#task.commit([{ toDocument: () => stored }])
  }

  get snapshot(): TaskSnapshot | null {
    return this.#task.snapshot()
  }

  signal(signal: TaskSignal): Promise<SignalResult> {
    return this.#task.signal(signal)
  }

  async untilChanges(count: number): Promise<readonly string[]> {
    await this.until(({ events }) => events.length >= count)
    return this.changes
  }

  async failure(): Promise<CodedError> {
    const error: unknown = await this.until(() => false).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof CodedError)
    return error
  }

  #take(record: SourceRecord): void {
    this.onRecord(record)
    const { topic, value, sourceOffset } = record
    this.stored = sourceOffset.toDocument()
    // A tombstone.
    if (value === null || !this.isData(record)) return
    const envelope = value as Struct
    // A record of the transaction topic.
    if (envelope.schema.fields[0]?.name === 'status') return
    if (topic === this.#schema) {
      this.statements.push(textOf(envelope.get('ddl')))
      return
    }
    const source = envelope.get('source') as Struct
    this.events.push({
      op: textOf(envelope.get('op')),
      table: textOf(source.get('table')),
      before: rowOf(envelope.get('before')),
      after: rowOf(envelope.get('after')),
      marker: textOf(source.get('snapshot')),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#task.stop()
  }
}

function rowOf(value: ConnectValue): readonly string[] | null {
  return value instanceof Struct ? value.schema.fields.map(({ index }) => textOf(value.at(index))) : null
}

export function textOf(value: ConnectValue): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (value instanceof Decimal || value instanceof EncodedText) return value.toString()
  return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : part)).replaceAll(
    '"',
    '',
  )
}

/** Below the limit of a test. */
const HANG_MS = 150_000

export function isStreaming({ logger }: TaskRun): boolean {
  return logger.matching('Connected to binlog').length > 0
}

export function isCompleted({ logger }: TaskRun): boolean {
  return logger.matching('status=COMPLETED').length > 0
}
