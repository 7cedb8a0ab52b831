import {
  describeError,
  doneOr,
  problemOf,
  withTimeout,
  type Clock,
  type Logger,
  type LogLevels,
} from '@tributary/support'
import type { Worker as Thread } from 'node:worker_threads'
import { runtimeErrors } from '../errors.ts'
import type { SecretMask } from '../config/providers/secret-mask.ts'
import type { StoredOffset } from '../storage/offset-store.ts'
import { taskId } from '../storage/task-id.ts'
import { maskedProblem } from '../task/outage-reports.ts'
import { resolveTaskData } from '../task/resolved-task-data.ts'
import type { TaskCommand, TaskReport, TaskThreadData } from '../task/thread-protocol.ts'
import { formatTrace } from '../task/trace.ts'

export interface RunningTaskOptions {
  /** Returns a thread that waits for its data. Not called when the data cannot be resolved: it would wait forever. */
  readonly takeThread: () => Thread
  readonly data: TaskThreadData
  /** Reports of the task in order: at most one `started`, at most one end, and none after a `stop` that timed out. */
  readonly onReport: (report: TaskReport) => void
  readonly clock: Clock
  readonly logger: Logger
  /** The levels of the thread follow these. */
  readonly logLevels: LogLevels
}

/**
 * A task in a thread of its own, seen from outside. A thread that ends without a report (out of memory, an uncaught
 * error) is reported as failed; secrets in its error are masked.
 */
export class RunningTask {
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>
  readonly #options: RunningTaskOptions
  readonly #id: string
  readonly #thread: Thread
  /** For errors that the thread could not mask itself. */
  readonly #mask: SecretMask
  #hasReportedEnd = false

  constructor(options: RunningTaskOptions) {
    const { takeThread, data, logLevels } = options
    this.#options = options
    this.#id = taskId(data.connectorName, data.taskNumber)
    this.#mask = resolveTaskData(data).mask
    this.#thread = takeThread()
    this.#thread.on('message', (report: TaskReport) => this.#report(report))
    this.#thread.on('error', (error) => this.#reportUnexpectedEnd(describeError(error), error))
    const unlisten = logLevels.listen(() => this.#send({ tag: 'log levels', logLevels: logLevels.snapshot() }))
    this.ended = new Promise((resolve) => {
      this.#thread.on('exit', (code) => {
        unlisten()
        this.#reportUnexpectedEnd(`exit code ${code}`)
        resolve()
      })
    })
    this.#send({ tag: 'start', data, logLevels: logLevels.snapshot() })
  }

  #report(report: TaskReport): void {
    if (this.#hasReportedEnd) return
    if (report.tag === 'stopped' || report.tag === 'failed') this.#hasReportedEnd = true
    this.#options.onReport(report)
  }

  #reportUnexpectedEnd(reason: string, cause?: unknown): void {
    const error = runtimeErrors.TASK_THREAD_ENDED({ task: this.#id, reason }, cause)
    const problem = maskedProblem(problemOf(error), this.#mask)
    const trace = this.#mask.text(formatTrace(error))
    this.#report({ tag: 'failed', trace, isRetriable: false, hasAdvanced: false, refused: null, problem })
  }

  /** Makes the task report each topic again when it writes to it next. */
  forgetTopics(): void {
    this.#send({ tag: 'forget topics' })
  }

  /** Makes the task report its numbers, if its thread is not blocked. */
  measure(): void {
    this.#send({ tag: 'measure' })
  }

  /** Makes the task store the offsets of acknowledged records at once. */
  commitOffsets(): void {
    this.#send({ tag: 'commit offsets' })
  }

  /** Answers the report `claimed`. */
  sendOffsets(storedOffsets: readonly StoredOffset[]): void {
    this.#send({ tag: 'offsets', storedOffsets })
  }

  #send(command: TaskCommand): void {
    this.#thread.postMessage(command)
  }

  /**
   * Sends the command to stop and waits for the end of the thread. Terminates a thread that does not end in time; it
   * reports nothing more.
   */
  async stop(limitMs: number): Promise<void> {
    const { clock, logger } = this.#options
    this.#send({ tag: 'stop' })
    try {
      await withTimeout(clock, limitMs, (signal) => doneOr(this.ended, signal))
    } catch {
      this.#hasReportedEnd = true
      logger.error(
        `Graceful stop of task ${this.#id} failed: it did not stop within ${limitMs} ms and is terminated; records after its stored offset are sent again when it starts`,
      )
      await this.#thread.terminate()
      await this.ended
    }
  }
}
