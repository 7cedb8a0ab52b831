import type {
  ConfigMap,
  OffsetDocument,
  PollResult,
  SourceOffset,
  SourcePartition,
  SourceRecord,
  SourceTask,
} from '@tributary/connect-api'
import {
  BackOff,
  ByteWriter,
  type Clock,
  doneOr,
  LiveMeter,
  type Logger,
  nextTurn,
  toError,
  withTimeout,
} from '@tributary/support'
import { parseWorkerConfig } from '../config/worker-config.ts'
import { createStages } from '../plugins/create-stages.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { taskId } from '../storage/task-id.ts'
import { failureKind } from '../task/task-failure.ts'
import { createConverters, createTask, createTaskContext, loadedPlugins, stageClasses } from '../task/task-plugins.ts'
import { errorPolicy } from '../task/tolerance/error-policy.ts'
import { RecordErrors } from '../task/tolerance/record-errors.ts'
import { TransformationChain } from '../task/transformation-chain.ts'

/** Appends what is printed of a record; nothing when the record is not printed. */
export type RecordPrinter = (record: SourceRecord, out: ByteWriter) => void

/** Where the bytes of a local run go. */
export interface LocalOutput {
  /**
   * Takes the bytes of whole records. They are valid until the promise settles. Resolves when there is room for more: to
   * true, or to false when nobody reads them any more.
   */
  write(bytes: Buffer): Promise<boolean>
  /** Called after the records up to that position were taken. */
  onWritten(offset: SourceOffset): void
}

export interface LocalOptions {
  readonly connectorName: string
  readonly plugins: Plugins
  readonly taskConfig: ConfigMap
  /** Null: the task starts without an offset. */
  readonly stored: { readonly partition: SourcePartition; readonly offset: OffsetDocument } | null
  /** Null: the values as the converter writes them, one on a line. */
  readonly printer: RecordPrinter | null
  /** What the converter writes of a record; absent: the record itself. Not for a `printer`. */
  readonly documentOf?: (record: SourceRecord) => SourceRecord
  /** Whether a record is printed; null: each is. */
  readonly accepts: ((record: SourceRecord) => boolean) | null
  /** The values of columns have their literals (`SourceTaskContext.addsLiterals`). */
  readonly addsLiterals: boolean
  /**
   * Asked after each poll: an error that ends the run in place of the records of that poll; null: there is none. Absent:
   * nothing ends it.
   */
  readonly refusal?: () => Error | null
  readonly output: LocalOutput
  readonly clock: Clock
  readonly logger: Logger
}

/** Why a local run has ended. */
export type LocalEnd = 'stopped' | 'unread'

/**
 * Runs the task of a connector in this process, with an output in place of the producer: no broker, no topic, nothing
 * stored. The task is polled again while the output takes the records of the last poll, and not before it has taken
 * those of the poll before; so a slow reader stops the source, and two polls are in memory.
 *
 * Retriable errors of the source are repeated as in a task; any other rejects, after the records before it were written.
 */
export async function runLocal(options: LocalOptions, signal: AbortSignal): Promise<LocalEnd> {
  const { taskConfig, logger, clock, output } = options
  const config = parseWorkerConfig({ ...WORKER, ...valueConverterOf(taskConfig) })
  const plugins = await loadedPlugins(options.plugins, config, taskConfig)
  const task = await createTask(plugins, taskConfig)
  const errors = new RecordErrors({
    policy: errorPolicy(taskConfig),
    taskId: taskId(options.connectorName, 0),
    classes: stageClasses(plugins, config, taskConfig),
    clock,
    logger,
    meter: new LiveMeter(),
  })
  using chain = new TransformationChain(createStages(plugins, taskConfig, { logger }), errors)
  const { valueConverter } = createConverters(plugins, config, taskConfig)
  const print = accepted(options.printer ?? linePrinter(valueConverter, options.documentOf), options.accepts)
  const { refusal = () => null } = options
  const run = new LocalRun({ task, chain, print, refusal, output, logger, clock })
  try {
    await task.start(contextOf(options), signal)
    return await run.loop(signal)
  } catch (error) {
    if (failureKind(error, signal) !== 'stop') throw error
    return 'stopped'
  } finally {
    await run.settled()
    await task.stop()
  }
}

function accepted(print: RecordPrinter, accepts: LocalOptions['accepts']): RecordPrinter {
  if (accepts === null) return print
  return (record, out) => {
    if (accepts(record)) print(record, out)
  }
}

type ValueConverter = ReturnType<typeof createConverters>['valueConverter']

function linePrinter(converter: ValueConverter, documentOf: LocalOptions['documentOf']): RecordPrinter {
  return (record, out) => {
    const { valueSchema, value, topic } = documentOf?.(record) ?? record
    const encoder = converter.encoderFor(valueSchema, topic)
    const start = out.position
    out.write(encoder.prefix)
    if (encoder.write(value, out)) out.byte(LINE_END)
    else out.position = start
  }
}

const LINE_END = 0x0a

interface RunParts {
  readonly task: SourceTask
  readonly chain: TransformationChain
  readonly print: RecordPrinter
  readonly refusal: () => Error | null
  readonly output: LocalOutput
  readonly logger: Logger
  readonly clock: Clock
}

class LocalRun {
  readonly #parts: RunParts
  readonly #pauses = new BackOff({ initialMs: 300, maxMs: 5_000 })
  /** One is filled while the output takes the other. */
  #filling = new ByteWriter(Buffer.allocUnsafeSlow(ROOM_BYTES))
  #taken = new ByteWriter(Buffer.allocUnsafeSlow(ROOM_BYTES))
  #writing: Promise<boolean> = Promise.resolve(true)

  constructor(parts: RunParts) {
    this.#parts = parts
  }

  async loop(signal: AbortSignal): Promise<LocalEnd> {
    while (!signal.aborted) {
      const polled = await this.#poll(signal)
      const refusal = this.#parts.refusal()
      if (refusal !== null) throw refusal
      const { failure, printed } = this.#print(polled.records)
      const last = lastOffset(polled, failure === null ? null : printed)
      if (this.#filling.position > 0 || last !== null) {
        if (!(await doneOr(this.#writing, signal))) return 'unread'
        this.#hand(last)
      }
      if (failure !== null) throw toError(failure)
      await nextTurn()
    }
    return 'stopped'
  }

  /** Waits for the pending write, but not for long: the reader may have stopped reading. */
  async settled(): Promise<void> {
    const { clock } = this.#parts
    try {
      await withTimeout(clock, SETTLE_MS_MAX, (limit) => doneOr(this.#writing, limit))
    } catch {
      // The error of an output that failed has ended the loop; what was not taken is not counted as written.
    }
  }

  async #poll(signal: AbortSignal): Promise<PollResult> {
    const { task, logger, clock } = this.#parts
    try {
      const result = await task.poll(signal)
      this.#pauses.reset()
      return result
    } catch (error) {
      if (failureKind(error, signal) !== 'retry') throw error
      const pauseMs = this.#pauses.next()
      logger.warn(`The source could not be read; trying again in ${pauseMs} ms`, { error: toError(error) })
      await clock.sleep(pauseMs, signal)
      return { records: [], progress: null }
    }
  }

  /** Returns the error that a record has caused, and how many before it are printed. */
  #print(polled: readonly SourceRecord[]): { readonly failure: unknown; readonly printed: number } {
    if (polled.length === 0) return { failure: null, printed: 0 }
    const { chain, print } = this.#parts
    // One for each that was polled.
    const { records, failure } = chain.apply(polled)
    let printed = 0
    try {
      for (const record of records) {
        if (record !== null) print(record, this.#filling)
        printed += 1
      }
      return { failure, printed }
    } catch (error) {
      return { failure: error, printed }
    }
  }

  #hand(offset: SourceOffset | null): void {
    const { output } = this.#parts
    const full = this.#filling
    this.#filling = this.#taken
    this.#taken = full
    this.#filling.reset()
    const bytes = full.bytes.subarray(0, full.position)
    this.#writing = (bytes.length === 0 ? Promise.resolve(true) : output.write(bytes)).then((isRead) => {
      if (isRead && offset !== null) output.onWritten(offset)
      return isRead
    })
    // The loop awaits it before the next write. Until then its rejection would be unhandled.
    this.#writing.catch(() => undefined)
  }
}

/** The position after what is printed of a poll; null: unchanged. `printed`: so many of its records; null: all. */
function lastOffset({ progress, records }: PollResult, printed: number | null): SourceOffset | null {
  if (printed !== null) return records[printed - 1]?.sourceOffset ?? null
  return progress?.offset ?? records.at(-1)?.sourceOffset ?? null
}

const ROOM_BYTES = 1 << 20
const SETTLE_MS_MAX = 1_000

function contextOf({ connectorName, taskConfig, stored, addsLiterals, logger }: LocalOptions) {
  const data = {
    connectorName,
    taskNumber: 0,
    taskConfig,
    workerProperties: WORKER,
    storedOffsets: stored === null ? [] : [stored],
    lease: new SharedArrayBuffer(0),
  }
  const context = createTaskContext(data, {
    taskConfig,
    workerProperties: WORKER,
    mayWrite: () => true,
    logger,
    meter: new LiveMeter(),
    queue: undefined,
  })
  return { ...context, keepsNothing: true, addsLiterals }
}

/** A worker needs them; nothing connects to it. */
const WORKER: ConfigMap = {
  'bootstrap.servers': 'localhost:9092',
  'group.id': 'local',
  'config.storage.topic': 'local-configs',
  'offset.storage.topic': 'local-offsets',
  'status.storage.topic': 'local-statuses',
  'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'key.converter.schemas.enable': 'false',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
}

/** Options of the converter, which a connector may only give together with its class. */
function valueConverterOf(taskConfig: ConfigMap): ConfigMap {
  return Object.fromEntries(Object.entries(taskConfig).filter(([name]) => name.startsWith('value.converter.')))
}
