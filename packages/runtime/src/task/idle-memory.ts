import { toError, type Clock, type Logger, type Timer } from '@tributary/support'
import type { ThreadHeap } from './thread-heap.ts'

export interface IdleMemoryOptions {
  readonly heap: ThreadHeap
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Gives back what a task's thread took for work that is over. The engine lets the young generation grow while code is loaded and while
 * records pass, and keeps its size for as long as the thread lives, since a thread with nothing to do never fills it: 10 MB after a start, up to
 * 40 after a snapshot. When a look finds nothing but polls that gave nothing since the last one, the heap is collected as a whole: once for
 * what was worked, and at most once a minute. (While a poll is under way, it is not known to be idle: it may hold a lock of the database.)
 */
export class IdleMemory implements Disposable {
  readonly #options: IdleMemoryOptions
  #timer: Timer | null = null
  #isOver = false
  /** Since the last look. */
  #hasWorked = false
  #hasIdled = false
  /** What was worked has not been followed by a collection. */
  #isOwed = false

  constructor(options: IdleMemoryOptions) {
    this.#options = options
  }

  /** The task has started, which was work as well. */
  begin(): void {
    this.onWork()
    this.#lookAfter(LOOK_MS)
  }

  /** Something was read or sent. Cheap: it is called for each poll. */
  onWork(): void {
    this.#hasWorked = true
  }

  /** A poll has given nothing. */
  onIdle(): void {
    this.#hasIdled = true
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#timer?.cancel()
  }

  #lookAfter(ms: number): void {
    if (!this.#isOver) this.#timer = this.#options.clock.after(ms, () => void this.#look())
  }

  async #look(): Promise<void> {
    const { heap } = this.#options
    const isIdle = this.#hasIdled && !this.#hasWorked
    if (this.#hasWorked) this.#isOwed = true
    this.#hasWorked = false
    this.#hasIdled = false
    if (!isIdle || !this.#isOwed) {
      this.#lookAfter(LOOK_MS)
      return
    }
    // A large heap may be one of garbage that the engine is about to collect: it stays owed.
    if (heap.usedBytes() > USED_BYTES_MAX) {
      this.#lookAfter(LOOK_MS)
      return
    }
    this.#isOwed = false
    if (heap.youngBytes() >= YOUNG_BYTES) await this.#release()
    this.#lookAfter(PAUSE_MS)
  }

  async #release(): Promise<void> {
    const { heap, logger } = this.#options
    try {
      await heap.release()
    } catch (error) {
      // Nothing is lost but some memory.
      logger.debug('The memory of an idle task could not be released', { error: toError(error) })
    }
  }
}

const LOOK_MS = 1_500
const PAUSE_MS = 60_000
/** Less is not worth the time of a collection; a thread that has just begun has 1 MB. */
const YOUNG_BYTES = 4_000_000
/**
 * The more objects live, the longer a collection takes: 100 MB of them half a second. How many of those that there are live is not known before;
 * a task's heap may hold this much without having been gone through (worker/heap-limits.ts).
 */
const USED_BYTES_MAX = 160_000_000
