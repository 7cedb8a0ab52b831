import type { ConfigMap, SourceTables } from '@tributary/connect-api'
import type { ConfigWarning } from '@tributary/rest-api'
import { assert, type Clock, type Timer } from '@tributary/support'
import { runtimeErrors } from '../../errors.ts'
import type { LentThread } from '../../worker/spare-threads.ts'
import type { CheckedValue, CheckRequest, ConfigChecks } from '../config-checks.ts'
import { HerderError } from '../herder-error.ts'
import type { CheckCommand, CheckResult, ThreadError } from './check-messages.ts'
import { CheckThread, type CheckThreadEnd } from './check-thread.ts'

export interface CheckThreadsOptions {
  /** Entry file of a thread that runs checks. */
  readonly threadUrl: URL
  /** Lends the thread that waits for its task; null without one. */
  readonly lend: () => LentThread | null
  readonly workerProperties: ConfigMap
  readonly clock: Clock
}

/**
 * Runs each check in a thread of its own, with a limit for its heap and its time: an answer of any size or duration
 * fails that check, and neither the worker nor another check.
 *
 * A thread takes a tenth of a second to load its code, and memory. So checks at the same time share one thread, one after
 * the other, as long as they end quickly; when one does not, the others get another thread. The first one is the thread
 * that waits for the next task, if there is one: it has loaded the code already, and runs the task afterwards. An idle
 * thread of another kind ends after a moment, which a client needs that validates and then registers.
 */
export class CheckThreads implements ConfigChecks {
  readonly #options: CheckThreadsOptions
  /** Threads that have not ended, the idle one among them. */
  readonly #threads = new Set<CheckThread>()
  #idle: { readonly thread: CheckThread; readonly expiry: Timer } | null = null
  /** In the order of their requests. */
  readonly #waiting = new Set<(thread: CheckThread) => void>()
  /** Runs while checks wait. Another thread is created for them when no check has ended for that long. */
  #patience: Timer | null = null
  #isStopped = false

  constructor(options: CheckThreadsOptions) {
    this.#options = options
  }

  async check(request: CheckRequest, signal: AbortSignal): Promise<readonly CheckedValue[]> {
    const result = await this.#run('errors', request, signal)
    assert(result.tag === 'checked', 'the thread returns what the command asks for')
    return result.values
  }

  async warnings(request: CheckRequest, signal: AbortSignal): Promise<readonly ConfigWarning[]> {
    const result = await this.#run('warnings', request, signal)
    assert(result.tag === 'warned', 'the thread returns what the command asks for')
    return result.warnings
  }

  async tables(request: CheckRequest, signal: AbortSignal): Promise<SourceTables> {
    const result = await this.#run('tables', request, signal)
    assert(result.tag === 'listed', 'the thread returns what the command asks for')
    return result.tables
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#idle?.expiry.cancel()
    this.#idle = null
    this.#patience?.cancel()
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  /** What each thread that has not ended is doing, or was doing last. */
  get doing(): readonly string[] {
    return [...this.#threads].map((thread) => thread.doing)
  }

  #run(wanted: CheckCommand['wanted'], request: CheckRequest, signal: AbortSignal): Promise<CheckResult> {
    const { clock, workerProperties } = this.#options
    const connector = request.config['name'] ?? '(without a name)'
    if (signal.aborted || this.#isStopped) return Promise.reject(new HerderError({ tag: 'worker stopping' }))
    if (this.#waiting.size >= WAITING_MAX) {
      const busy = runtimeErrors.CHECKS_BUSY({ connector, running: THREADS_MAX, waiting: WAITING_MAX })
      return Promise.reject(failed(busy))
    }
    return new Promise((resolve, reject) => {
      let thread: CheckThread | null = null
      const settle = (outcome: () => void): void => {
        deadline.cancel()
        signal.removeEventListener('abort', onAbort)
        this.#waiting.delete(onThread)
        outcome()
      }
      /** The check is over for its caller, but not for the thread. */
      const abandon = (error: Error): void => {
        void thread?.terminate()
        settle(() => reject(error))
      }
      const onAbort = (): void => abandon(new HerderError({ tag: 'worker stopping' }))
      const onDeadline = (): void => {
        const doing = thread === null ? `waiting for ${THREADS_MAX} other checks` : thread.doing
        abandon(failed(runtimeErrors.CHECK_TOO_SLOW({ connector, doing, seconds: DEADLINE_MS / 1000 })))
      }
      const onThread = (taken: CheckThread): void => {
        thread = taken
        this.#waiting.delete(onThread)
        taken.run({ tag: 'check', wanted, request, workerProperties }, (result) => {
          this.#patience?.cancel()
          this.#patience = null
          this.#release(taken)
          settle(() => {
            if (isEnd(result)) reject(endError(result, connector, taken))
            else if (result.tag === 'failed') reject(errorOf(result.error))
            else resolve(result)
          })
        })
      }
      const deadline = clock.after(DEADLINE_MS, onDeadline)
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(onThread)
      this.#assign()
    })
  }

  /** Starts the check that has waited longest: in the idle thread, or in a new one if no other runs. */
  #assign(): void {
    const [onThread] = this.#waiting
    if (onThread === undefined || this.#isStopped) return
    const idle = this.#idle
    this.#idle = null
    idle?.expiry.cancel()
    if (idle?.thread.isUsable === true) onThread(idle.thread)
    else if (this.#threads.size === 0) onThread(this.#borrow() ?? this.#spawn())
    if (this.#waiting.size > 0) this.#patience ??= this.#options.clock.after(PATIENCE_MS, () => this.#onPatienceEnd())
  }

  #onPatienceEnd(): void {
    this.#patience = null
    const [onThread] = this.#waiting
    if (onThread === undefined || this.#isStopped) return
    if (this.#threads.size < THREADS_MAX) onThread(this.#spawn())
    this.#assign()
  }

  #spawn(): CheckThread {
    const { threadUrl, clock } = this.#options
    return this.#use(CheckThread.spawn(threadUrl, clock))
  }

  #borrow(): CheckThread | null {
    const { lend, clock } = this.#options
    const lent = CheckThread.canBorrow ? lend() : null
    return lent === null ? null : this.#use(CheckThread.borrow(lent, clock))
  }

  #use(thread: CheckThread): CheckThread {
    this.#threads.add(thread)
    void thread.over.then(() => {
      this.#threads.delete(thread)
      this.#assign()
    })
    return thread
  }

  /** Passes a thread to the next check, or keeps it for a moment, or dismisses it. */
  #release(thread: CheckThread): void {
    if (!thread.isUsable) return
    const isKept = this.#idle === null && !this.#isStopped && (!thread.isLent || this.#waiting.size > 0)
    if (!isKept) {
      this.#threads.delete(thread)
      thread.dismiss()
      return
    }
    const expiry = this.#options.clock.after(IDLE_MS, () => {
      this.#idle = null
      thread.dismiss()
    })
    this.#idle = { thread, expiry }
    this.#assign()
  }
}

function isEnd(result: CheckResult | CheckThreadEnd): result is CheckThreadEnd {
  return result.tag === 'heap exhausted' || result.tag === 'broken'
}

function endError(end: CheckThreadEnd, connector: string, { doing, heapMb }: CheckThread): Error {
  if (end.tag === 'broken') {
    return failed(runtimeErrors.CHECK_THREAD_ENDED({ connector, doing, reason: end.reason }, end.cause))
  }
  return failed(runtimeErrors.CHECK_TOO_LARGE({ connector, doing, megabytes: heapMb }))
}

/** The configuration is neither valid nor invalid. */
function failed(error: Error): HerderError {
  return new HerderError({ tag: 'validation failed', reason: error.message }, error)
}

function errorOf({ problem, message, stack }: ThreadError): Error {
  const error = problem === null ? new Error(message) : new HerderError(problem)
  error.stack = stack
  return error
}

/** Four checks at once, each with its heap at the limit, need 1.3 GB. With healthy servers a check takes a tenth of a second. */
const THREADS_MAX = 4

/** As many as an installation has connectors, all registered at once. */
const WAITING_MAX = 200

/**
 * More than the time limits of all checks together (the pre-flight 30 s, registries 10 s), whose errors have more
 * details, and less than the time for a REST request (90 s).
 */
const DEADLINE_MS = 60_000

/** A check with healthy servers takes a tenth of that. */
const PATIENCE_MS = 500

/** Until the next request of a program. A person waits for a new thread without noticing it. */
const IDLE_MS = 2_000
