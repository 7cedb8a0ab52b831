import { toError, type Clock, type Logger, type Timer } from '@tributary/support'
import type { V8Heap } from './v8-heap.ts'

export interface IdleMemoryOptions {
  readonly heap: V8Heap
  readonly clock: Clock
  readonly logger: Logger
}

/** A task's part of `IdleMemory`. */
export interface IdleTask extends Disposable {
  /** The task has started. Loading its code counts as work. */
  start(): void
  /** The task read or sent something. Called for each poll. */
  onWork(): void
  /** A poll returned nothing. */
  onIdle(): void
}

/**
 * Returns memory of an idle thread to the system. The engine grows the young generation while code is loaded and records
 * pass, and never shrinks it, because an idle thread never fills it: 10 MB stay allocated after a start, up to 40 MB
 * after a snapshot. Every 1.5 s the timer checks the polls of the thread's tasks since the last check. When all of them
 * were empty, it collects the whole heap: once after each period of work, and at most once a minute. (A poll that has
 * not returned does not count as idle: the source may hold a lock in the database, and a collection would extend it.)
 */
export class IdleMemory {
  readonly #options: IdleMemoryOptions
  readonly #tasks = new Set<Activity>()
  #timer: Timer | null = null
  #isReleasing = false
  /** There was work since the last collection. */
  #needsCollection = false

  constructor(options: IdleMemoryOptions) {
    this.#options = options
  }

  /** Adds a task of the thread, until it is disposed. */
  enter(): IdleTask {
    const activity = new Activity(
      () => this.#checkAfter(CHECK_MS),
      () => this.#leave(activity),
    )
    this.#tasks.add(activity)
    return activity
  }

  #leave(activity: Activity): void {
    if (activity.hasWorked) this.#needsCollection = true
    this.#tasks.delete(activity)
    if (this.#tasks.size > 0) return
    this.#timer?.cancel()
    this.#timer = null
  }

  /** No effect while a check is due. */
  #checkAfter(ms: number): void {
    if (this.#tasks.size > 0 && !this.#isReleasing)
      this.#timer ??= this.#options.clock.after(ms, () => void this.#check())
  }

  async #check(): Promise<void> {
    const { heap } = this.#options
    this.#timer = null
    const isIdle = [...this.#tasks].every((task) => task.hasIdled && !task.hasWorked)
    if ([...this.#tasks].some((task) => task.hasWorked)) this.#needsCollection = true
    for (const task of this.#tasks) task.reset()
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
    this.#isReleasing = true
    try {
      await heap.release()
    } catch (error) {
      // Only memory is lost.
      logger.debug('The memory of idle tasks could not be released', { error: toError(error) })
    } finally {
      this.#isReleasing = false
    }
  }
}

/** What a task has done since the last check. */
class Activity implements IdleTask {
  readonly #onStart: () => void
  readonly #onEnd: () => void
  hasWorked = false
  hasIdled = false

  constructor(onStart: () => void, onEnd: () => void) {
    this.#onStart = onStart
    this.#onEnd = onEnd
  }

  start(): void {
    this.onWork()
    this.#onStart()
  }

  onWork(): void {
    this.hasWorked = true
  }

  onIdle(): void {
    this.hasIdled = true
  }

  reset(): void {
    this.hasWorked = false
    this.hasIdled = false
  }

  [Symbol.dispose](): void {
    this.#onEnd()
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
