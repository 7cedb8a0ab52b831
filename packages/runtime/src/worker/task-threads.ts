import type { Clock, Timer } from '@tributary/support'
import { setFlagsFromString } from 'node:v8'
import { Worker as Thread } from 'node:worker_threads'
import { taskHeap } from './task-heap.ts'

export interface TaskThreadsOptions {
  /** Entry file of a task's thread: it knows the plug-ins. */
  readonly threadUrl: URL
  readonly clock: Clock
}

/**
 * Makes the threads of tasks. A thread takes some hundred milliseconds until its code is loaded, about as long as checking a new
 * connector against its database does: so it can be prepared meanwhile, and waits for what it is to do. A worker without connectors
 * has one from its start on, since the two share the processors. One is kept at most: a thread has memory of its own.
 */
export class TaskThreads {
  readonly #options: TaskThreadsOptions
  #prepared: PreparedThread | null = null
  /** Threads that have not ended, the prepared one among them. */
  #running = 0

  constructor(options: TaskThreadsOptions) {
    this.#options = options
  }

  /** Some task will be started first, nobody knows when: its thread is kept until then. */
  prepareFirst(): void {
    if (this.#prepared === null) this.#prepare(this.#create(FIRST_NAME), null)
  }

  /** The task of that id will probably be started soon. Its thread is kept for as long as a check may take. */
  prepare(id: string): void {
    if (this.#prepared === null) this.#prepare(this.#create(id), id)
  }

  #prepare(thread: Thread, id: string | null): void {
    const expiry = id === null ? null : this.#options.clock.after(KEPT_MS, () => void this.discard())
    const forget = (): void => {
      if (this.#prepared?.thread === thread) void this.discard()
    }
    this.#prepared = { id, thread, expiry, forget }
    // Whoever takes it hears of errors; one that nobody wanted yet is simply gone.
    thread.once('error', forget)
    thread.once('exit', forget)
  }

  /** A thread that has been given nothing yet: the prepared one for that id or for any, or a new one. */
  take(id: string): Thread {
    const prepared = this.#prepared
    if (prepared === null || (prepared.id !== null && prepared.id !== id)) return this.#create(id)
    this.#prepared = null
    prepared.expiry?.cancel()
    prepared.thread.off('error', prepared.forget).off('exit', prepared.forget)
    return prepared.thread
  }

  /** Ends what was prepared and nobody took. */
  async discard(): Promise<void> {
    const prepared = this.#prepared
    this.#prepared = null
    prepared?.expiry?.cancel()
    await prepared?.thread.terminate()
  }

  #create(id: string): Thread {
    const { youngMb, oldMb } = taskHeap(this.#running)
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

interface PreparedThread {
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

/** Most checks take a tenth of that. One that takes longer finds no prepared thread, and loses no more than that. */
const KEPT_MS = 10_000
