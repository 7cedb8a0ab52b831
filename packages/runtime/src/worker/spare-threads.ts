import type { Clock, Timer } from '@tributary/support'
import { setFlagsFromString } from 'node:v8'
import { MessageChannel, Worker as Thread } from 'node:worker_threads'
import { heapLimits } from './heap-limits.ts'

export interface SpareThreadsOptions {
  /** Entry file of a task's thread; it loads the plug-ins. */
  readonly threadUrl: URL
  readonly clock: Clock
  /** Gets the lines that the threads log. */
  readonly onLogLine?: (line: string) => void
}

/** A thread that waits for its task and runs checks meanwhile. */
export interface LentThread {
  readonly thread: Thread
  /** Called when no check uses it any more. Not called when it has ended. */
  readonly giveBack: () => void
}

/**
 * Creates the threads of tasks, one of them ahead of its task. A thread needs a few hundred milliseconds to load its
 * code, and the check of a new connector needs the same code. So the spare thread is spawned when the check starts,
 * runs the check, and waits for its task. A worker without connectors spawns it at its start. At most one is kept,
 * because each thread has a heap of its own.
 */
export class SpareThreads {
  readonly #options: SpareThreadsOptions
  #spare: SpareThread | null = null
  /** Threads that have not ended, the spare one among them. */
  #running = 0

  constructor(options: SpareThreadsOptions) {
    this.#options = options
  }

  /** Spawns a thread for whichever task is started first, and keeps it until then. */
  spawnForAny(): void {
    if (this.#spare === null) this.#keep(this.#create(FIRST_NAME), null)
  }

  /** Spawns a thread for a task that will probably be started soon, and keeps it for as long as a check may take. */
  spawnFor(id: string): void {
    if (this.#spare === null) this.#keep(this.#create(id), id)
  }

  #keep(thread: Thread, id: string | null): void {
    const forget = (): void => {
      if (this.#spare?.thread === thread) void this.discard()
    }
    this.#spare = { id, thread, expiry: this.#expiry(id), isLent: false, forget }
    // The task that takes the thread handles its errors. Until then a broken thread is only dropped.
    thread.once('error', forget)
    thread.once('exit', forget)
  }

  #expiry(id: string | null): Timer | null {
    return id === null ? null : this.#options.clock.after(KEPT_MS, () => void this.discard())
  }

  /** Lends the spare thread to a check, until it is given back or has ended; null without one. */
  lend(): LentThread | null {
    const spare = this.#spare
    if (spare === null || spare.isLent) return null
    spare.isLent = true
    spare.expiry?.cancel()
    const giveBack = (): void => {
      spare.isLent = false
      if (this.#spare === spare) spare.expiry = this.#expiry(spare.id)
    }
    return { thread: spare.thread, giveBack }
  }

  /**
   * Returns a thread that waits for its data: the spare one if it is for that task or for any, and not lent, else a new
   * one.
   */
  take(id: string): Thread {
    const spare = this.#spare
    if (spare === null || spare.isLent || (spare.id !== null && spare.id !== id)) return this.#create(id)
    this.#spare = null
    spare.expiry?.cancel()
    spare.thread.off('error', spare.forget).off('exit', spare.forget)
    return spare.thread
  }

  /** Terminates the spare thread. */
  async discard(): Promise<void> {
    const spare = this.#spare
    this.#spare = null
    spare?.expiry?.cancel()
    await spare?.thread.terminate()
  }

  #create(id: string): Thread {
    const { youngMb, oldMb } = heapLimits(this.#running)
    const resourceLimits = { maxYoungGenerationSizeMb: youngMb }
    const { port1: own, port2: log } = new MessageChannel()
    const data = { workerData: { log }, transferList: [log] }
    const thread = withOldGeneration(
      oldMb,
      () => new Thread(this.#options.threadUrl, { name: id, resourceLimits, ...data }),
    )
    own.on('message', (line: string) => this.#options.onLogLine?.(line))
    own.unref()
    this.#running += 1
    thread.once('exit', () => {
      this.#running -= 1
      own.close()
    })
    return thread
  }
}

/**
 * Creates a thread whose heap starts with an old generation of that size. Only a flag of the engine sets the size; a
 * heap reads it when it is created, and that of this thread exists already. The flag is reset once no thread is being
 * created, because code compiled under one set of flags is compiled again under another.
 */
function withOldGeneration(megabytes: number, create: () => Thread): Thread {
  setFlagsFromString(`--initial-old-space-size=${megabytes}`)
  const thread = create()
  heapsPending.add(thread)
  const onHeapCreated = (): void => {
    if (heapsPending.delete(thread) && heapsPending.size === 0) setFlagsFromString('--initial-old-space-size=0')
  }
  thread.once('online', onHeapCreated)
  thread.once('exit', onHeapCreated)
  return thread
}

/** Threads whose heaps may not exist yet. */
const heapsPending = new Set<Thread>()

interface SpareThread {
  /** The task that it is for; null for whichever is started first. */
  readonly id: string | null
  readonly thread: Thread
  /** Null when it is kept until it is taken. */
  expiry: Timer | null
  /** True while a check uses it. */
  isLent: boolean
  /** Listens for its end until it is taken. */
  readonly forget: () => void
}

/** Name, shown by debuggers, of a thread that was spawned before its task was known. */
const FIRST_NAME = 'first task'

/** From the check of a connector to the start of its task. A task that starts later waits for a new thread. */
const KEPT_MS = 10_000
