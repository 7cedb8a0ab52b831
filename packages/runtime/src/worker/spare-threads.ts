import type { Clock, Timer } from '@tributary/support'
import { setFlagsFromString } from 'node:v8'
import { Worker as Thread } from 'node:worker_threads'
import { heapLimits } from './heap-limits.ts'

export interface SpareThreadsOptions {
  /** Entry file of a task's thread: it knows the plug-ins. */
  readonly threadUrl: URL
  readonly clock: Clock
}

/**
 * Makes the threads of tasks. A thread takes some hundred milliseconds until its code is loaded, about as long as checking a new
 * connector against its database does: so it can be spare meanwhile, and waits for what it is to do. A worker without connectors
 * has one from its start on, since the two share the processors. One is kept at most: a thread has memory of its own.
 */
export class SpareThreads {
  readonly #options: SpareThreadsOptions
  #spare: SpareThread | null = null
  /** Threads that have not ended, the spare one among them. */
  #running = 0

  constructor(options: SpareThreadsOptions) {
    this.#options = options
  }

  /** Some task will be started first, nobody knows when: its thread is kept until then. */
  spawnForAny(): void {
    if (this.#spare === null) this.#keep(this.#create(FIRST_NAME), null)
  }

  /** The task of that id will probably be started soon. Its thread is kept for as long as a check may take. */
  spawnFor(id: string): void {
    if (this.#spare === null) this.#keep(this.#create(id), id)
  }

  #keep(thread: Thread, id: string | null): void {
    const expiry = id === null ? null : this.#options.clock.after(KEPT_MS, () => void this.discard())
    const forget = (): void => {
      if (this.#spare?.thread === thread) void this.discard()
    }
    this.#spare = { id, thread, expiry, forget }
    // Whoever takes it hears of errors; one that nobody wanted yet is simply gone.
    thread.once('error', forget)
    thread.once('exit', forget)
  }

  /** A thread that has been given nothing yet: the spare one for that id or for any, or a new one. */
  take(id: string): Thread {
    const spare = this.#spare
    if (spare === null || (spare.id !== null && spare.id !== id)) return this.#create(id)
    this.#spare = null
    spare.expiry?.cancel()
    spare.thread.off('error', spare.forget).off('exit', spare.forget)
    return spare.thread
  }

  /** Ends what was spare and nobody took. */
  async discard(): Promise<void> {
    const spare = this.#spare
    this.#spare = null
    spare?.expiry?.cancel()
    await spare?.thread.terminate()
  }

  #create(id: string): Thread {
    const { youngMb, oldMb } = heapLimits(this.#running)
    const resourceLimits = { maxYoungGenerationSizeMb: youngMb }
    const thread = withOldGeneration(oldMb, () => new Thread(this.#options.threadUrl, { name: id, resourceLimits }))
    this.#running += 1
    thread.once('exit', () => (this.#running -= 1))
    return thread
  }
}

/**
 * Makes a thread whose heap has an old generation of that size to begin with. Nothing but a flag of the engine says so, which a heap takes over
 * when it is made: that of this thread is made already. The flag goes back once no thread is under way, since code that was compiled under one set
 * of flags is compiled again under another.
 */
function withOldGeneration(megabytes: number, make: () => Thread): Thread {
  setFlagsFromString(`--initial-old-space-size=${megabytes}`)
  const thread = make()
  underWay.add(thread)
  const made = (): void => {
    if (underWay.delete(thread) && underWay.size === 0) setFlagsFromString('--initial-old-space-size=0')
  }
  thread.once('online', made)
  thread.once('exit', made)
  return thread
}

/** Threads whose heaps may not have been made yet. */
const underWay = new Set<Thread>()

interface SpareThread {
  /** Of the task that it is for; null: of whichever is started first. */
  readonly id: string | null
  readonly thread: Thread
  /** Null: it is kept until it is taken. */
  readonly expiry: Timer | null
  /** Listens to its end for as long as nobody has taken it. */
  readonly forget: () => void
}

/** What a debugger calls a thread that was made before its task was known. */
const FIRST_NAME = 'first task'

/** Most checks take a tenth of that. One that takes longer finds no spare thread, and loses no more than that. */
const KEPT_MS = 10_000
