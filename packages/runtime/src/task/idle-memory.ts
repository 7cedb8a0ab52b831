import { toError, type Clock, type Logger, type Timer } from '@tributary/support'
import type { V8Heap } from './v8-heap.ts'

export interface IdleMemoryOptions {
  readonly heap: V8Heap
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Returns memory of an idle task to the system. The engine grows the young generation while code is loaded and records
 * pass, and never shrinks it, because an idle thread never fills it: 10 MB stay allocated after a start, up to 40 MB
 * after a snapshot. Every 1.5 s the timer checks the polls since the last check. When all of them were empty, it
 * collects the whole heap: once after each period of work, and at most once a minute. (A poll that has not returned
 * does not count as idle: the source may hold a lock in the database, and a collection would extend it.)
 */
export class IdleMemory implements Disposable {
  readonly #options: IdleMemoryOptions
  #timer: Timer | null = null
  #isDisposed = false
  /** Since the last check. */
  #hasWorked = false
  #hasIdled = false
  /** There was work since the last collection. */
  #needsCollection = false

  constructor(options: IdleMemoryOptions) {
    this.#options = options
  }

  /** The task has started. Loading its code counts as work. */
  start(): void {
    this.onWork()
    this.#checkAfter(CHECK_MS)
  }

  /** The task read or sent something. Called for each poll. */
  onWork(): void {
    this.#hasWorked = true
  }

  /** A poll returned nothing. */
  onIdle(): void {
    this.#hasIdled = true
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#timer?.cancel()
  }

  #checkAfter(ms: number): void {
    if (!this.#isDisposed) this.#timer = this.#options.clock.after(ms, () => void this.#check())
  }

  async #check(): Promise<void> {
    const { heap } = this.#options
    const isIdle = this.#hasIdled && !this.#hasWorked
    if (this.#hasWorked) this.#needsCollection = true
    this.#hasWorked = false
    this.#hasIdled = false
    if (!isIdle || !this.#needsCollection) {
      this.#checkAfter(CHECK_MS)
      return
    }
    // A large heap may consist of garbage that the engine is about to collect: check again later.
    if (heap.usedBytes() > USED_BYTES_MAX) {
      this.#checkAfter(CHECK_MS)
      return
    }
    this.#needsCollection = false
    if (heap.youngBytes() >= YOUNG_BYTES) await this.#release()
    this.#checkAfter(PAUSE_MS)
  }

  async #release(): Promise<void> {
    const { heap, logger } = this.#options
    try {
      await heap.release()
    } catch (error) {
      // Only memory is lost.
      logger.debug('The memory of an idle task could not be released', { error: toError(error) })
    }
  }
}

const CHECK_MS = 1_500
const PAUSE_MS = 60_000
/** A smaller generation is not worth a collection; that of a new thread has 1 MB. */
const YOUNG_BYTES = 4_000_000
/**
 * A collection takes longer the more objects are alive: half a second for 100 MB. Their number is unknown before the
 * collection; a task's heap may reach this size before the engine collects it (worker/heap-limits.ts).
 */
const USED_BYTES_MAX = 160_000_000
