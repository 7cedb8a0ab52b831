import { describeError, doneOr, StoppedError, withTimeout, type Clock } from '@tributary/support'
import { HerderError } from './herder-error.ts'

/** Limits how long requests wait for an internal topic. */
export class TopicWait {
  readonly #clock: Clock
  /** Aborts when the worker stops. */
  readonly stop: AbortSignal

  constructor(clock: Clock, stop: AbortSignal) {
    this.#clock = clock
    this.stop = stop
  }

  /** Runs the work within the limit. Its failure becomes a problem of the herder, in the words of `failure`. */
  async run<T>(
    work: (signal: AbortSignal) => Promise<T>,
    failure: (values: { readonly reason: string }) => Error,
  ): Promise<T> {
    const { stop } = this
    try {
      return await withTimeout(this.#clock, TIMEOUT_MS, (signal) => doneOr(work(signal), signal), stop)
    } catch (error) {
      if (error instanceof HerderError) throw error
      if (stop.aborted) throw new HerderError({ tag: 'worker stopping' }, error)
      const reason = error instanceof StoppedError ? `no answer within ${TIMEOUT_MS} ms` : describeError(error)
      throw new HerderError({ tag: 'storage failed', reason: failure({ reason }).message }, error)
    }
  }
}

/** As long as Connect tries to write to the config topic. */
const TIMEOUT_MS = 30_000
