import { toError } from '@tributary/support'
import { Worker as Thread } from 'node:worker_threads'
import type { CheckCommand, CheckReport, CheckResult } from './check-messages.ts'
import { CHECK_THREAD_DATA } from './check-thread-data.ts'

/** Why a thread reported no result. */
export type CheckThreadEnd =
  | { readonly tag: 'heap exhausted' }
  /** `reason`: class and code of the error; its text may contain secrets. */
  | { readonly tag: 'broken'; readonly reason: string; readonly cause: Error }

/**
 * The heap of a check, in MB. The catalogue of 100,000 captured tables takes 60 MB, and the largest answer that the
 * limits of the clients accept (1,000,000 rows) takes 190 MB.
 */
export const CHECK_HEAP_MB = 256

/** A check lasts too short for a larger one to matter. */
const YOUNG_MB = 4

/** A thread that checks configurations, seen from outside: one check at a time, until it ends. */
export class CheckThread {
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>
  readonly #thread: Thread
  #doing = STARTING
  #onResult: (result: CheckResult | CheckThreadEnd) => void = () => undefined
  #end: CheckThreadEnd | null = null

  constructor(threadUrl: URL) {
    const resourceLimits = { maxOldGenerationSizeMb: CHECK_HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB }
    this.#thread = new Thread(threadUrl, { name: 'check', resourceLimits, workerData: CHECK_THREAD_DATA })
    this.#thread.on('message', (report: CheckReport) => {
      if (report.tag === 'step') this.#doing = report.doing
      else this.#onResult(report)
    })
    this.#thread.on('error', (thrown) => this.#finish(endOf(toError(thrown))))
    this.ended = new Promise((resolve) => {
      this.#thread.on('exit', (code) => {
        const reason = `exit code ${code}`
        this.#finish({ tag: 'broken', reason, cause: new Error(reason) })
        resolve()
      })
    })
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
      onResult(result)
    }
    if (this.#end !== null) this.#onResult(this.#end)
    else this.#thread.postMessage(command)
  }

  /** Ends the thread. A thread within a call of the system ends after it. */
  terminate(): Promise<void> {
    this.#onResult = () => undefined
    this.#end ??= { tag: 'broken', reason: 'it was ended', cause: new Error('it was ended') }
    void this.#thread.terminate()
    return this.ended
  }

  #finish(end: CheckThreadEnd): void {
    this.#end ??= end
    this.#onResult(this.#end)
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
