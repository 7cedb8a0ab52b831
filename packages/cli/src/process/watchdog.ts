import { describeError, type Logger, systemClock } from '@tributary/support'
import inspector from 'node:inspector'
import { Worker } from 'node:worker_threads'
import { BEAT, DEBUGGED, MEMORY_BYTES, STOP_LIMIT } from './watchdog-memory.ts'

/** Several times per tick of the watchdog. */
const BEAT_MS = 250

/**
 * A thread that ends the process when a requested stop takes too long, or when the main thread no longer responds and
 * so would not notice a request to stop (docs/adr/0029-membership-and-watchdog.md). It writes the reason to standard
 * error and ends the process with SIGKILL.
 *
 * The watchdog does not keep the process alive.
 */
export class Watchdog {
  readonly #threadUrl: URL
  readonly #logger: Logger
  readonly #memory = new Int32Array(new SharedArrayBuffer(MEMORY_BYTES))
  #isWatching = false

  /**
   * `threadUrl`: its entry file. The thread is created a second later, or when a stop is requested, because creating it
   * would make the start of a worker a tenth slower.
   */
  constructor(threadUrl: URL, logger: Logger) {
    this.#threadUrl = threadUrl
    this.#logger = logger
    systemClock.after(DELAY_MS, () => this.watch())
  }

  /** Creates the thread. One that fails is a warning: the worker runs without it. Idempotent. */
  watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.#beat()
    const thread = new Worker(this.#threadUrl, {
      name: 'watchdog',
      workerData: this.#memory.buffer,
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: HEAP_MB },
      // Those of the process may load other code or profile it.
      execArgv: [],
    })
    thread.on('error', (error) => {
      this.#logger.warn(
        `The watchdog has failed: ${describeError(error)}. Nothing ends this worker if it becomes blocked`,
      )
    })
    thread.unref()
  }

  /** The process must have ended after that time. */
  limitStop(limitMs: number): void {
    Atomics.store(this.#memory, STOP_LIMIT, limitMs)
    this.watch()
  }

  #beat(): void {
    Atomics.add(this.#memory, BEAT, 1)
    Atomics.store(this.#memory, DEBUGGED, inspector.url() === undefined ? 0 : 1)
    systemClock.after(BEAT_MS, () => this.#beat())
  }
}

/** A worker needs a third of that to start, if the brokers answer. */
const DELAY_MS = 1_000

/** The smallest with which Node starts a thread is 5 to 8. */
const HEAP_MB = 16
