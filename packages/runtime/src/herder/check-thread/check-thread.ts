import { type Clock, type Timer, toError } from '@tributary/support'
import { Worker as Thread } from 'node:worker_threads'
import type { LentThread } from '../../worker/spare-threads.ts'
import type { CheckCommand, CheckReport, CheckResult } from './check-messages.ts'

/** Why a thread reported no result. */
export type CheckThreadEnd =
  | { readonly tag: 'heap exhausted' }
  /** `reason`: class and code of the error; its text may contain secrets. */
  | { readonly tag: 'broken'; readonly reason: string; readonly cause: Error }

/** A thread that checks configurations, seen from outside: one check at a time, until it ends or is given back. */
export class CheckThread {
  /** The heap that a check may need, in MB. */
  readonly heapMb: number
  /** Resolves when the thread has ended or is given back. */
  readonly over: Promise<void>
  /** Null: the thread is for checks only. */
  readonly #lent: LentThread | null
  readonly #thread: Thread
  readonly #clock: Clock
  /** Measures the heap during a check of a lent thread. */
  #watch: Timer | null = null
  #doing = STARTING
  #onResult: (result: CheckResult | CheckThreadEnd) => void = () => undefined
  #end: CheckThreadEnd | null = null
  #onOver: () => void = () => undefined

  private constructor(thread: Thread, lent: LentThread | null, clock: Clock) {
    this.#thread = thread
    this.#lent = lent
    this.#clock = clock
    this.heapMb = lent === null ? HEAP_MB : LENT_HEAP_MB
    this.over = new Promise((resolve) => (this.#onOver = resolve))
    thread.on('message', this.#onMessage).on('error', this.#onError).on('exit', this.#onExit)
  }

  /** A thread for checks only. The engine limits its heap. */
  static spawn(threadUrl: URL, clock: Clock): CheckThread {
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB }
    return new CheckThread(new Thread(threadUrl, { name: 'check', resourceLimits }), null, clock)
  }

  /** False before Node 22.16 and 24.0, which cannot measure the heap of another thread. */
  static get canBorrow(): boolean {
    return 'getHeapStatistics' in Thread.prototype
  }

  /** The heap of a task has no such limit, so it is measured. */
  static borrow(lent: LentThread, clock: Clock): CheckThread {
    return new CheckThread(lent.thread, lent, clock)
  }

  get isLent(): boolean {
    return this.#lent !== null
  }

  /** True until the thread is known to end. */
  get isUsable(): boolean {
    return this.#end === null
  }

  /** What the check is doing, as in “while asking …”. */
  get doing(): string {
    return this.#doing
  }

  /** Runs a check. Its result, or how the thread ended, is passed to the callback, once. */
  run(command: CheckCommand, onResult: (result: CheckResult | CheckThreadEnd) => void): void {
    this.#onResult = (result) => {
      this.#onResult = () => undefined
      this.#endWatch()
      onResult(result)
    }
    if (this.#end !== null) {
      this.#onResult(this.#end)
      return
    }
    this.#thread.postMessage(command)
    if (this.#lent !== null) this.#watchHeap()
  }

  /** Ends the thread. A thread within a call of the system ends after it. */
  terminate(): Promise<void> {
    this.#endWatch()
    this.#onResult = () => undefined
    this.#end ??= { tag: 'broken', reason: 'it was ended', cause: new Error('it was ended') }
    void this.#thread.terminate()
    return this.over
  }

  /** Gives a lent thread back after a check; ends any other. */
  dismiss(): void {
    if (this.#lent === null) {
      void this.terminate()
      return
    }
    const { thread, giveBack } = this.#lent
    thread.off('message', this.#onMessage).off('error', this.#onError).off('exit', this.#onExit)
    this.#onOver()
    giveBack()
  }

  readonly #onMessage = (report: CheckReport): void => {
    if (report.tag === 'step') this.#doing = report.doing
    else this.#onResult(report)
  }

  readonly #onError = (thrown: unknown): void => this.#finish(endOf(toError(thrown)))

  readonly #onExit = (code: number): void => {
    const reason = `exit code ${code}`
    this.#finish({ tag: 'broken', reason, cause: new Error(reason) })
    this.#onOver()
  }

  #finish(end: CheckThreadEnd): void {
    this.#end ??= end
    this.#onResult(this.#end)
  }

  #endWatch(): void {
    this.#watch?.cancel()
    this.#watch = null
  }

  #watchHeap(): void {
    this.#watch = this.#clock.after(WATCH_MS, () => void this.#measureHeap())
  }

  async #measureHeap(): Promise<void> {
    // Rejected before the thread runs, and when it has ended, which its events report.
    const heap = await this.#thread.getHeapStatistics().catch(() => null)
    // The check has ended meanwhile.
    if (this.#watch === null) return
    if (heap === null || heap.used_heap_size <= LENT_HEAP_MB * 2 ** 20) {
      this.#watchHeap()
      return
    }
    void this.#thread.terminate()
    this.#finish({ tag: 'heap exhausted' })
  }
}

const STARTING = 'loading its code'

function endOf(error: Error): CheckThreadEnd {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { tag: 'heap exhausted' }
  return { tag: 'broken', reason: code === '' ? error.name : `${error.name} ${code}`, cause: withoutText(error) }
}

/** Where an error was thrown. Its text may contain secrets. */
function withoutText({ name, stack = '' }: Error): Error {
  const cause = new Error(name)
  cause.stack = [name, ...stack.split('\n').filter((line) => /^\s+at /.test(line))].join('\n')
  return cause
}

/**
 * The heap of a check, in MB. The catalogue of 100,000 captured tables takes 60 MB, and the largest answer that the
 * limits of the clients accept (1,000,000 rows) takes 190 MB.
 */
const HEAP_MB = 256

/** Twice as much: without a limit of the engine, garbage is collected later, and counts. */
const LENT_HEAP_MB = 512

/** A thread fills about 50 MB within that time. */
const WATCH_MS = 100

/** A check lasts too short for a larger one to matter. */
const YOUNG_MB = 4
