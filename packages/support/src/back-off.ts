import type { Clock } from './clock.ts'
import { isRetriable, StoppedError, toError } from './errors.ts'

export interface BackOffOptions {
  /** The first pause. */
  readonly initialMs: number
  /** No pause is longer. */
  readonly maxMs: number
  /** 0…1: the random part of each pause, so that many clients do not retry at the same moment. */
  readonly jitter?: number
  readonly random?: () => number
}

/** Exponential back-off: each pause is twice the one before, up to the maximum. Call `reset` after a success. */
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

  /** Counts a failure; returns the pause before the next attempt, in milliseconds. */
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
  /** Stops retrying after this time. Default: no limit. */
  readonly limitMs?: number
  /** Which errors are retried. Default: retriable ones. */
  readonly when?: (error: Error) => boolean
  /** Called before each pause. */
  readonly onRetry?: (error: Error, pauseMs: number, failures: number) => void
}

/**
 * Retries the work until it succeeds, throws an error that is not retried, the time limit expires, or the signal fires.
 */
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
      // The last attempt is made exactly at the limit.
      const pause = Math.min(backOff.next(), start + limitMs - clock.now())
      onRetry?.(error, pause, backOff.failures)
      await clock.sleep(pause, signal)
    }
  }
}
