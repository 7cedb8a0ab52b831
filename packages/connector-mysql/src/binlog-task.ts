import { connectorFamilies, ConnectorNumbers } from '@tributary/connector-kit'
import type {
  PollResult,
  SignalResult,
  SourceOffset,
  SourceTask,
  SourceTaskContext,
  TaskSignal,
  TaskSnapshot,
} from '@tributary/connect-api'
import { assert, BackOff, describeError, isRetriable, noMeter, StoppedError } from '@tributary/support'
import type { ConnectorConfig } from './config/connector-config.ts'
import { parseConfig } from './config/connector-definition.ts'
import { snapshotNeed } from './config/snapshot-mode.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { notedProperties, noteText } from './noted-properties.ts'
import { StreamPosition } from './offset/stream-position.ts'
import { type OpenTask, openTask } from './open-task.ts'
import { ProgressLog } from './snapshot/progress-log.ts'
import { taskSnapshot } from './snapshot/task-snapshot.ts'
import { whyNotResumed } from './snapshot/snapshot-resume.ts'
import { taskLogger, type TaskSettings } from './task-settings.ts'

/**
 * The task as the runtime calls it: a pipeline of snapshot and stream, which `openTask` assembles.
 *
 * It starts with its configuration alone; the first poll inspects the database and the schema history. So a task whose
 * database is unreachable runs and waits for it, as it does when the database becomes unreachable later. An error that
 * waiting cannot fix fails it.
 */
export class BinlogTask implements SourceTask {
  readonly #kind: ConnectorKind
  readonly #pauses = new BackOff({ initialMs: 250, maxMs: 30_000 })
  #settings: TaskSettings | null = null
  #open: OpenTask | null = null
  #progressLog: ProgressLog | null = null
  #isStopped = false

  constructor(kind: ConnectorKind) {
    this.#kind = kind
  }

  async start(context: SourceTaskContext): Promise<void> {
    const kind = this.#kind
    const numbers = new ConnectorNumbers()
    const config = parseConfig(kind, context.config)
    this.#settings = { kind, context, config, numbers, loggedWarnings: new Set() }
    this.#registerMetrics(this.#settings)
    const logger = taskLogger(this.#settings, 'task')
    const { clock } = context
    this.#progressLog = new ProgressLog({ numbers, clock, logger: taskLogger(this.#settings, 'snapshot') })
    for (const note of notedProperties(kind, context.config)) logger.warn(noteText(note))
  }

  /** As long as the task runs: Debezium unregisters its beans when a task stops. */
  #registerMetrics({ kind, context, config, numbers }: TaskSettings): void {
    const { meter = noMeter, clock, queue, connectorName: connector, taskNumber: task } = context
    const labels = { plugin: kind.connectorType, name: config.topicPrefix, connector, task }
    const count = (name: string): number => meter.counter(name).value
    meter.families(() => {
      if (this.#isStopped) return []
      const source = { nowMs: clock.now(), numbers, queue: queue?.() ?? null, queueSize: queueSize(config), count }
      return connectorFamilies(source, labels)
    })
  }

  async poll(signal: AbortSignal): Promise<PollResult> {
    const settings = this.#settings
    assert(settings !== null, 'a task is started before it is polled')
    this.#open ??= await this.#tryToOpen(settings, signal)
    return this.#open === null ? NOTHING : this.#open.poll(signal)
  }

  /** Null after an error that waiting may fix, and after the wait. */
  async #tryToOpen(settings: TaskSettings, signal: AbortSignal): Promise<OpenTask | null> {
    const { clock } = settings.context
    try {
      const open = await openTask(settings, { isFirstTry: this.#pauses.failures === 0, signal })
      settings.context.logger.outages?.ended(BEGINNING)
      return open
    } catch (error) {
      if (error instanceof StoppedError || !isRetriable(error)) throw error
      const pauseMs = this.#pauses.next()
      settings.context.logger.outages?.failed(BEGINNING, error, pauseMs)
      taskLogger(settings, 'task').warn(`Cannot begin yet; trying again in ${pauseMs} ms: ${describeError(error)}`)
      await clock.sleep(pauseMs, signal)
      return null
    }
  }

  committing(offsets: readonly SourceOffset[]): void {
    // A task has one partition.
    const last = offsets.at(-1)
    if (last !== undefined) this.#open?.onStoring?.(last)
  }

  async commit(offsets: readonly SourceOffset[]): Promise<void> {
    const last = offsets.at(-1)
    if (last !== undefined) this.#open?.onStored?.(last)
  }

  continuesAfter(offset: SourceOffset): boolean {
    const config = this.#settings?.config
    if (config === undefined) return false
    const stored = offset instanceof StreamPosition ? offset : StreamPosition.parse(offset.toDocument())
    if (snapshotNeed(config.snapshotMode, stored) !== 'rows') return true
    return stored?.isSnapshotUnfinished === true && whyNotResumed(stored, config) === null
  }

  /** A new snapshot has no events for the changes between the end of the stream and the snapshot. */
  get leavesOutAtStart(): boolean {
    return this.#settings?.config.snapshotMode.afterwards === 'rows' && this.#open?.hasStreamed === true
  }

  snapshot(): TaskSnapshot | null {
    const settings = this.#settings
    return settings === null ? null : taskSnapshot(settings.numbers, settings.context.clock.now())
  }

  async signal(signal: TaskSignal): Promise<SignalResult> {
    return (await this.#open?.signal?.(signal)) ?? { tag: 'unavailable', reason: this.#notOpen }
  }

  get #notOpen(): string {
    const name = this.#settings?.context.connectorName ?? 'NAME'
    return `The task has not begun to read its database: GET /connectors/${name}/health has the reason. Send the signal again when it reads changes`
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#progressLog?.[Symbol.dispose]()
    await this.#open?.close()
  }
}

/** As an operator reads it in the health of the task. */
const BEGINNING = 'inspecting the database and the schema history'

/** `max.queue.size`, which has no effect but in the metrics. */
function queueSize({ properties }: ConnectorConfig): number {
  const size = Number(properties['max.queue.size'] ?? QUEUE_SIZE)
  return Number.isSafeInteger(size) && size > 0 ? size : QUEUE_SIZE
}

/** Debezium's default. */
const QUEUE_SIZE = 8_192

const NOTHING: PollResult = { records: [], progress: null }
