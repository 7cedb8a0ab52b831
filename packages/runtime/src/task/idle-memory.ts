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
 * 64 after a snapshot. When a look finds no work since the last one the heap is collected as a whole: once for what was worked, and at
 * most once a minute.
 */
export class IdleMemory implements Disposable {
  readonly #options: IdleMemoryOptions
  #timer: Timer | null = null
  #isOver = false
  /** Since the last look. */
  #hasWorked = false
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

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#timer?.cancel()
  }

  #lookAfter(ms: number): void {
    if (!this.#isOver) this.#timer = this.#options.clock.after(ms, () => void this.#look())
  }

  async #look(): Promise<void> {
    if (this.#hasWorked) {
      this.#hasWorked = false
      this.#isOwed = true
    } else if (this.#isOwed) {
      this.#isOwed = false
      if (this.#isWorthwhile()) {
        await this.#release()
        this.#lookAfter(PAUSE_MS)
        return
      }
    }
    this.#lookAfter(LOOK_MS)
  }

  #isWorthwhile(): boolean {
    const { heap } = this.#options
    return heap.youngBytes() >= YOUNG_BYTES && heap.usedBytes() <= USED_BYTES_MAX
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
/** The more objects there are, the longer a collection takes, and the less of all the young generation is: this many take a quarter of a second. */
const USED_BYTES_MAX = 64_000_000
