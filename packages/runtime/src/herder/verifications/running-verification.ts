import type { Verification, VerificationState, VerifiedTable } from '@tributary/rest-api'
import { describeError, doneOr, withTimeout, type Clock } from '@tributary/support'
import { Worker as Thread } from 'node:worker_threads'
import type {
  VerificationCommand,
  VerificationData,
  VerificationReport,
} from '../../verification/verification-messages.ts'
import type { ConnectorProgress } from '../../verification/verifier.ts'

export interface RunningVerificationOptions {
  readonly id: string
  readonly data: VerificationData
  /** Entry file of a thread. */
  readonly threadUrl: URL
  readonly readProgress: () => Promise<ConnectorProgress>
  readonly clock: Clock
}

/** A comparison in a thread of its own, seen from outside. Its last state stays when the thread has ended. */
export class RunningVerification {
  readonly id: string
  readonly connector: string
  readonly #options: RunningVerificationOptions
  readonly #thread: Thread
  readonly #ended: Promise<void>
  readonly #startedMs: number
  #endedMs: number | null = null
  #state: VerificationState = 'RUNNING'
  #error: string | null = null
  #tables: readonly VerifiedTable[] = []
  #isCancelled = false

  constructor(options: RunningVerificationOptions) {
    const { id, data, threadUrl, clock } = options
    this.id = id
    this.connector = data.connectorName
    this.#options = options
    this.#startedMs = clock.now()
    this.#thread = new Thread(threadUrl, { name: `verification-${id}`, resourceLimits: LIMITS })
    this.#thread.on('message', (report: VerificationReport) => this.#onReport(report))
    this.#thread.on('error', (error) => this.#end(describeError(error)))
    this.#ended = new Promise((resolve) => {
      this.#thread.on('exit', (code) => {
        this.#end(`Its thread ended with code ${code}`)
        resolve()
      })
    })
    this.#send({ tag: 'verify', data })
  }

  get isRunning(): boolean {
    return this.#state === 'RUNNING'
  }

  toDocument(): Verification {
    return {
      id: this.id,
      connector: this.connector,
      state: this.#state,
      started_ms: this.#startedMs,
      ended_ms: this.#endedMs,
      rate: this.#options.data.rowsPerSecond,
      error: this.#error,
      tables: this.#tables,
    }
  }

  /** Ends it, and waits for the end of its thread. */
  async cancel(): Promise<void> {
    this.#isCancelled = true
    this.#send({ tag: 'verify stop' })
    try {
      await withTimeout(this.#options.clock, STOP_MS_MAX, (signal) => doneOr(this.#ended, signal))
    } catch {
      await this.#thread.terminate()
    }
  }

  #onReport(report: VerificationReport): void {
    switch (report.tag) {
      case 'verify tables':
        this.#tables = report.tables
        return
      case 'verify ask progress':
        void this.#answer()
        return
      case 'verify ended':
        this.#end(report.error)
        void this.#thread.terminate()
        return
      default:
        // Reports of other work of such a thread.
        return
    }
  }

  async #answer(): Promise<void> {
    try {
      this.#send({ tag: 'verify progress', progress: await this.#options.readProgress() })
    } catch (error) {
      this.#end(`The stored offset cannot be read: ${describeError(error)}`)
      void this.#thread.terminate()
    }
  }

  #end(error: string | null): void {
    if (this.#state !== 'RUNNING') return
    this.#endedMs = this.#options.clock.now()
    if (this.#isCancelled) this.#state = 'CANCELLED'
    else this.#state = error === null ? 'COMPLETED' : 'FAILED'
    this.#error = this.#state === 'FAILED' ? error : null
  }

  #send(command: VerificationCommand): void {
    this.#thread.postMessage(command)
  }
}

/** The keys are not in this heap; records in flight and texts of rows need a small part of it. */
const LIMITS = { maxOldGenerationSizeMb: 512 }
const STOP_MS_MAX = 5_000
