import type { SourceTask, SourceTaskContext } from '@tributary/connect-api'
import type { Logger } from '@tributary/support'
import { stopTask } from './stop-task.ts'

export interface EarlyStartOptions {
  readonly task: SourceTask
  readonly context: SourceTaskContext
  readonly signal: AbortSignal
  readonly logger: Logger
}

/**
 * The start of a task, begun while the producer is still being opened: the one waits for the database, the other for the brokers.
 * Whoever runs the task takes the start over, and stops the task later. If it does not come to that, since the producer cannot be
 * opened, the start is given up and the task is stopped here.
 */
export class EarlyStart implements AsyncDisposable {
  readonly #options: EarlyStartOptions
  readonly #abandoned = new AbortController()
  readonly #started: Promise<void>
  #isTaken = false

  constructor(options: EarlyStartOptions) {
    this.#options = options
    this.#started = this.#start()
    // Whoever takes it hears of it.
    this.#started.catch(() => undefined)
  }

  async #start(): Promise<void> {
    const { task, context, signal } = this.#options
    await task.start(context, AbortSignal.any([signal, this.#abandoned.signal]))
  }

  /** Resolves when the task has started, and rejects with what kept it from that. */
  take(): Promise<void> {
    this.#isTaken = true
    return this.#started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isTaken) return
    const { task, logger } = this.#options
    this.#abandoned.abort()
    await this.#started.catch(() => undefined)
    await stopTask(task, logger)
  }
}
