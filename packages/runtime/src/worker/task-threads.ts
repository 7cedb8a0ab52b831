import type { Clock, Timer } from '@tributary/support'
import type { SpareThreads } from './spare-threads.ts'
import { TaskThread, type TaskHost } from './task-thread.ts'

/** Where the tasks of a worker run. */
export interface TaskHosts {
  /** Prepares for whichever task is started first. */
  spawnForAny(): void
  /** Prepares for a task that will probably be started soon. */
  spawnFor(id: string): void
  /** Returns what the task runs in. */
  take(id: string): TaskHost
  /** The task has ended as it should: its next start may share a thread again. */
  mayShare(id: string): void
  /** From now on the task runs alone in a thread. */
  keepAlone(id: string): void
  /** Ends what no task uses. */
  discard(): Promise<void>
}

/**
 * Distributes tasks over threads. Each task gets a thread of its own until there are `max` threads; then the thread
 * with the fewest tasks gets the next one. More threads than processors make nothing faster, and each holds 25 MB of
 * code (docs/adr/0085-tasks-share-threads.md).
 *
 * A task whose thread has broken is started alone in a thread from then on: if it was the cause, it no longer disturbs
 * others. A thread that runs several tasks and does not respond for 40 s is ended, so that the others continue.
 */
export class TaskThreads implements TaskHosts {
  readonly #spares: SpareThreads
  readonly #max: number
  readonly #shared = new Set<TaskThread>()
  /** Ids of tasks. */
  readonly #alone = new Set<string>()

  readonly #clock: Clock
  #timer: Timer | null = null

  constructor(spares: SpareThreads, max: number, clock: Clock) {
    this.#spares = spares
    this.#max = max
    this.#clock = clock
  }

  /** Spawns a thread for whichever task is started first. */
  spawnForAny(): void {
    this.#spares.spawnForAny()
  }

  /** Spawns a thread for a task that will probably be started soon, if it will not share one. */
  spawnFor(id: string): void {
    if (this.#shared.size < this.#max || this.#alone.has(id)) this.#spares.spawnFor(id)
  }

  /** Returns the thread to run the task in. */
  take(id: string): TaskThread {
    if (this.#alone.has(id)) return new TaskThread(this.#spares.take(id), () => undefined)
    if (this.#shared.size < this.#max) return this.#create(id)
    this.#timer ??= this.#clock.after(PING_MS, () => this.#ping())
    return [...this.#shared].reduce((least, each) => (each.count < least.count ? each : least))
  }

  /** Repeats itself while tasks share threads. */
  #ping(): void {
    this.#timer = null
    const sharing = [...this.#shared].filter(({ count }) => count > 1)
    if (sharing.length > 0) this.#timer = this.#clock.after(PING_MS, () => this.#ping())
    for (const thread of sharing) {
      if (thread.ping() >= PINGS_MAX) void thread.terminate(`it did not respond for ${(PING_MS * PINGS_MAX) / 1_000} s`)
    }
  }

  /** The task has ended as it should: its next start may share a thread again. */
  mayShare(id: string): void {
    this.#alone.delete(id)
  }

  /** From now on the task runs alone in a thread. */
  keepAlone(id: string): void {
    this.#alone.add(id)
  }

  /** Terminates the spare thread, and watches the others no longer. */
  discard(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    return this.#spares.discard()
  }

  #create(id: string): TaskThread {
    const thread = new TaskThread(this.#spares.take(id), () => this.#shared.delete(thread))
    this.#shared.add(thread)
    return thread
  }
}

const PING_MS = 10_000
/** Fewer than a minute's: after that, systemd would end the whole worker (docs/10-deployment.md). */
const PINGS_MAX = 4
