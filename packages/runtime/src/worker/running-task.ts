import { describeError, doneOr, withTimeout, type Clock, type Logger, type LogLevels } from '@tributary/support'
import type { Worker as Thread } from 'node:worker_threads'
import { runtimeErrors } from '../errors.ts'
import type { SecretMask } from '../config/providers/secret-mask.ts'
import { taskId } from '../storage/task-id.ts'
import { resolveTaskData } from '../task/resolved-task-data.ts'
import type { TaskCommand, TaskReport, TaskThreadData } from '../task/task-messages.ts'
import { formatTrace } from '../task/trace.ts'

export interface RunningTaskOptions {
  /** Gives a thread that has been given nothing yet; not called when the data cannot be resolved, since it would wait for ever. */
  readonly takeThread: () => Thread
  readonly data: TaskThreadData
  /** What the task tells, in order: once `started` at most, and at most one end. Nothing comes after `stop` has given up. */
  readonly onReport: (report: TaskReport) => void
  readonly clock: Clock
  readonly logger: Logger
  /** The thread's follow them. */
  readonly logLevels: LogLevels
}

/**
 * A task in a thread of its own, seen from outside. A thread that ends without having said why (out of memory, an error that
 * nobody caught) is reported as failed, without the secrets that its last words may hold.
 */
export class RunningTask {
  /** Resolves when the thread is gone. */
  readonly ended: Promise<void>
  readonly #options: RunningTaskOptions
  readonly #id: string
  readonly #thread: Thread
  /** For what the thread did not live to mask itself. */
  readonly #mask: SecretMask
  #hasReportedEnd = false

  constructor(options: RunningTaskOptions) {
    const { takeThread, data, logLevels } = options
    this.#options = options
    this.#id = taskId(data.connectorName, data.taskNumber)
    this.#mask = resolveTaskData(data).mask
    this.#thread = takeThread()
    this.#thread.on('message', (report: TaskReport) => this.#report(report))
    this.#thread.on('error', (error) => this.#reportDeath(describeError(error), error))
    const unlisten = logLevels.listen(() => this.#tell({ tag: 'log levels', logLevels: logLevels.snapshot() }))
    this.ended = new Promise((resolve) => {
      this.#thread.on('exit', (code) => {
        unlisten()
        this.#reportDeath(`exit code ${code}`)
        resolve()
      })
    })
    this.#tell({ tag: 'begin', data, logLevels: logLevels.snapshot() })
  }

  #report(report: TaskReport): void {
    if (this.#hasReportedEnd) return
    if (report.tag === 'stopped' || report.tag === 'failed') this.#hasReportedEnd = true
    this.#options.onReport(report)
  }

  #reportDeath(reason: string, cause?: unknown): void {
    const error = runtimeErrors.TASK_THREAD_ENDED({ task: this.#id, reason }, cause)
    this.#report({ tag: 'failed', trace: this.#mask.text(formatTrace(error)), isRetriable: false })
  }

  /** It tells of each topic again when it writes to it next. */
  forgetTopics(): void {
    this.#tell({ tag: 'forget topics' })
  }

  #tell(command: TaskCommand): void {
    this.#thread.postMessage(command)
  }

  /** Asks the task to end and waits for its thread; a thread that does not end in time is ended by force, and says nothing more. */
  async stop(limitMs: number): Promise<void> {
    const { clock, logger } = this.#options
    this.#tell({ tag: 'stop' })
    try {
      await withTimeout(clock, limitMs, (signal) => doneOr(this.ended, signal))
    } catch {
      this.#hasReportedEnd = true
      logger.error(
        `Graceful stop of task ${this.#id} failed: it did not end within ${limitMs} ms and is ended by force; records behind its stored offset are sent again when it starts`,
      )
      await this.#thread.terminate()
      await this.ended
    }
  }
}
