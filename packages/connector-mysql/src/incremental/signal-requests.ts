import type { SignalResult, TaskSignal } from '@tributary/connect-api'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'

/** A signal that is waiting. */
interface Request {
  readonly signal: TaskSignal
  readonly done: (result: SignalResult) => void
}

/** What a request waits for: an offset with its id. */
interface Unstored {
  readonly id: string
  readonly isRepeated: boolean
  readonly done: (result: SignalResult) => void
}

/**
 * Signals of the REST interface. Each waits for the loop of the task, which runs it, and then until an offset is stored
 * that has its id. A signal whose id an offset has is not run again: who got no answer can repeat the request.
 */
export class SignalRequests {
  #waiting: Request[] = []
  #unstored: Unstored[] = []

  /** Resolves when the effect is stored, or the signal is refused. */
  send(signal: TaskSignal): Promise<SignalResult> {
    const { promise, resolve } = Promise.withResolvers<SignalResult>()
    this.#waiting.push({ signal, done: resolve })
    return promise
  }

  /** Some wait for an offset to be stored. */
  get isWaiting(): boolean {
    return this.#unstored.length > 0
  }

  /**
   * Runs what has been sent. Returns whether an offset has to be stored now.
   *
   * @param run runs one, and returns why it has no effect; null: it has, and its id is in the progress
   */
  take(progress: () => IncrementalProgress, run: (signal: TaskSignal) => SignalResult | null): boolean {
    const taken = this.#waiting
    if (taken.length === 0) return false
    this.#waiting = []
    for (const { signal, done } of taken) {
      const isRepeated = progress().signalIds.includes(signal.id)
      const refusal = isRepeated ? null : run(signal)
      if (refusal === null) this.#unstored.push({ id: signal.id, isRepeated, done })
      else done(refusal)
    }
    return true
  }

  /** An offset with that progress was stored. */
  stored({ signalIds }: IncrementalProgress): void {
    const isStored = ({ id }: Unstored): boolean => signalIds.includes(id)
    const stored = this.#unstored.filter(isStored)
    this.#unstored = this.#unstored.filter((each) => !isStored(each))
    for (const { isRepeated, done } of stored) done({ tag: 'accepted', isRepeated })
  }
}
