import {
  describeError,
  doneOr,
  problemOf,
  withTimeout,
  type Clock,
  type Logger,
  type LogLevels,
} from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { StoredOffset } from '../storage/offset-store.ts'
import { taskId } from '../storage/task-id.ts'
import { maskedProblem } from '../task/outage-reports.ts'
import { resolveTaskData } from '../task/resolved-task-data.ts'
import type { TaskAnswer, TaskCommand, TaskQuestion, TaskReport, TaskThreadData } from '../task/thread-protocol.ts'
import { formatTrace } from '../task/trace.ts'
import type { Breakage, TaskHost, TaskPlace } from './task-thread.ts'

export interface RunningTaskOptions {
  /** Returns the thread to run in. Not called when the data cannot be resolved: the task would wait for it forever. */
  readonly takeThread: () => TaskHost
  /** Called when the thread has ended unexpectedly while it ran other tasks, too. */
  readonly onSharedBreakage?: () => void
  readonly data: TaskThreadData
  /** Reports of the task in order: at most one `started`, at most one end, and none after a `stop` that timed out. */
  readonly onReport: (report: TaskReport) => void
  readonly clock: Clock
  readonly logger: Logger
  /** The levels of the thread follow these. */
  readonly logLevels: LogLevels
}

/**
 * A task in a thread, seen from outside. A thread that ends without a report of the task (out of memory, an uncaught
 * error) is reported as its failure; secrets in the error are masked.
 */
export class RunningTask {
  /** Resolves when nothing of the task runs any more. */
  readonly ended: Promise<void>
  readonly #options: RunningTaskOptions
  readonly #id: string
  readonly #place: TaskPlace
  #isStopping = false
  /** The task has reported that a start by itself would leave out changes. */
  #leavesOut = false
  #hasReportedEnd = false
  /** Questions without an answer, by their numbers. */
  readonly #asked = new Map<number, (answer: TaskAnswer | null) => void>()
  #questions = 0

  constructor(options: RunningTaskOptions) {
    const { takeThread, data, logLevels } = options
    this.#options = options
    this.#id = taskId(data.connectorName, data.taskNumber)
    const { mask } = resolveTaskData(data)
    this.#place = takeThread().host({ id: this.#id, mask, onBroken: (breakage) => this.#onBroken(breakage) })
    this.#place.port.on('message', (report: TaskReport) => this.#report(report))
    const unlisten = logLevels.listen(() => this.#send({ tag: 'log levels', logLevels: logLevels.snapshot() }))
    this.ended = this.#place.ended.then(() => {
      unlisten()
      this.#endQuestions()
    })
    this.#send({ tag: 'start', data, logLevels: logLevels.snapshot() })
  }

  #report(report: TaskReport): void {
    if (report.tag === 'answer') {
      this.#asked.get(report.number)?.(report.answer)
      return
    }
    if (this.#hasReportedEnd) return
    if (report.tag === 'leaves out at start') this.#leavesOut = true
    if (report.tag === 'stopped' || report.tag === 'failed') {
      this.#hasReportedEnd = true
      this.#place.expectEnd()
    }
    this.#options.onReport(report)
  }

  #onBroken({ reason, cause, culprit, tasks, masks }: Breakage): void {
    const isShared = tasks > 1
    if (isShared && culprit === null) this.#options.onSharedBreakage?.()
    if (isShared && this.#isStopping) {
      this.#logUngraceful(`its thread ended (${masks.reduce((text, mask) => mask.text(text), reason)})`)
      return
    }
    const params = { task: this.#id, reason }
    const thrown = isShared
      ? runtimeErrors.SHARED_THREAD_ENDED({ ...params, others: tasks - 1 }, cause)
      : runtimeErrors.TASK_THREAD_ENDED(params, cause)
    const isRetriable = isShared && !this.#leavesOut
    const error = this.#leavesOut ? runtimeErrors.START_LEAVES_OUT({ reason: describeError(thrown) }, thrown) : thrown
    const problem = masks.reduce(maskedProblem, problemOf(error))
    const trace = masks.reduce((text, mask) => mask.text(text), formatTrace(error))
    const failure = { trace, isRetriable, isOfNeighbour: isRetriable, hasAdvanced: false, refused: null, problem }
    this.#report({ tag: 'failed', ...failure })
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

  /** Asks the source task. Null: it did not answer within the limit, or has ended. */
  async ask(question: TaskQuestion, limitMs: number): Promise<TaskAnswer | null> {
    const { clock } = this.#options
    const { promise, resolve } = Promise.withResolvers<TaskAnswer | null>()
    this.#questions += 1
    const number = this.#questions
    const timer = clock.after(limitMs, () => resolve(null))
    this.#asked.set(number, resolve)
    this.#send({ tag: 'ask', number, question })
    const answer = await promise
    timer.cancel()
    this.#asked.delete(number)
    return answer
  }

  #endQuestions(): void {
    for (const done of this.#asked.values()) done(null)
  }

  /** Answers the report `claimed`. */
  sendOffsets(storedOffsets: readonly StoredOffset[]): void {
    this.#send({ tag: 'offsets', storedOffsets })
  }

  #send(command: TaskCommand): void {
    this.#place.port.postMessage(command)
  }

  /**
   * Sends the command to stop and waits for the end. Terminates the thread of a task that does not end in time; the task
   * reports nothing more. Tasks that share the thread fail, and start again.
   */
  async stop(limitMs: number): Promise<void> {
    const { clock } = this.#options
    this.#isStopping = true
    this.#send({ tag: 'stop' })
    try {
      await withTimeout(clock, limitMs, (signal) => doneOr(this.ended, signal))
    } catch {
      this.#hasReportedEnd = true
      this.#place.expectEnd()
      this.#logUngraceful(`it did not stop within ${limitMs} ms and is terminated`)
      if (this.#place.isShared()) this.#options.onSharedBreakage?.()
      await this.#place.terminate(`task ${this.#id} shared it and did not stop within ${limitMs} ms`)
      await this.ended
    }
  }
  #logUngraceful(how: string): void {
    this.#options.logger.error(
      `Graceful stop of task ${this.#id} failed: ${how}; records after its stored offset are sent again when it starts`,
    )
  }
}
