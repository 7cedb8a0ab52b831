import { StoppedError } from './errors.ts'

/** Wall clock and timers, passed in so that a test can move time. Only this file uses the real ones. */
export interface Clock {
  /** Milliseconds since 1970, whole. */
  now(): number
  /** Microseconds since 1970, whole; never less than an earlier reading of the same clock. */
  nowMicros(): number
  /**
   * Milliseconds since some time in the past, the same in all threads of the process. Changes of the wall clock do not
   * affect it. On most systems it stands still while the machine sleeps.
   */
  monotonicMs(): number
  /** Resolves after `ms`; rejects with StoppedError when the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` once after `ms` unless cancelled. A pending call does not keep the process alive. */
  after(ms: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}

/** 24.8 days. Node fires longer timers at once, so this clock cuts them. */
const TIMER_MS_MAX = 2 ** 31 - 1

class SystemClock implements Clock {
  #last = 0

  now(): number {
    return Date.now()
  }

  nowMicros(): number {
    const reading = Math.round((performance.timeOrigin + performance.now()) * 1000)
    if (reading > this.#last) this.#last = reading
    return this.#last
  }

  monotonicMs(): number {
    return Number(process.hrtime.bigint() / 1_000_000n)
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new StoppedError())
        return
      }
      const onAbort = (): void => {
        clearTimeout(timer)
        reject(new StoppedError())
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
        Math.min(ms, TIMER_MS_MAX),
      )
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  after(ms: number, run: () => void): Timer {
    const timer = setTimeout(run, Math.min(ms, TIMER_MS_MAX))
    timer.unref()
    return { cancel: () => clearTimeout(timer) }
  }
}

export const systemClock: Clock = new SystemClock()
