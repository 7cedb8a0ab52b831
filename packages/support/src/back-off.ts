import type { Clock } from './clock.ts'
import { isRetriable, StoppedError, toError } from './errors.ts'

export interface BackOffOptions {
  /** First pause. */
  readonly initialMs: number
  /** No pause is longer. */
  readonly maxMs: number
  /** 0…1: part of each pause that is random, so that many clients do not come back in step. */
  readonly jitter?: number
  readonly random?: () => number
}

/** Growing pauses: initial, twice that, … up to the maximum; `reset` after a success. */
export class BackOff {
  readonly #options: BackOffOptions
  #failures = 0

  constructor(options: BackOffOptions) {
    this.#options = options
  }

  /** Consecutive failures so far. */
  get failures(): number {
    return this.#failures
  }

  /** Counts a failure and gives the pause before the next try, in milliseconds. */
  next(): number {
    const { initialMs, maxMs, jitter = 0.2, random = Math.random } = this.#options
    const pause = Math.min(maxMs, initialMs * 2 ** Math.min(this.#failures, 30))
    this.#failures += 1
    return Math.round(pause * (1 - jitter * random()))
  }

  reset(): void {
    this.#failures = 0
  }
}

export interface RetryOptions extends BackOffOptions {
  readonly clock: Clock
  readonly signal?: AbortSignal
  /** Give up after this long; for ever when absent. */
  readonly limitMs?: number
  /** Which errors may be retried; by default those that say so of themselves. */
  readonly when?: (error: Error) => boolean
  /** Called before each pause. */
  readonly onRetry?: (error: Error, pauseMs: number, failures: number) => void
}

/** Runs the work until it succeeds, an error may not be retried, the limit is over, or the signal fires. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, limitMs = Infinity, when = isRetriable, onRetry } = options
  const backOff = new BackOff(options)
  const start = clock.now()
  for (;;) {
    try {
      return await work()
    } catch (thrown) {
      const error = toError(thrown)
      if (error instanceof StoppedError || !when(error) || clock.now() - start >= limitMs) throw error
      // Not beyond the limit: the last try is made when it is reached.
      const pause = Math.min(backOff.next(), start + limitMs - clock.now())
      onRetry?.(error, pause, backOff.failures)
      await clock.sleep(pause, signal)
    }
  }
}
