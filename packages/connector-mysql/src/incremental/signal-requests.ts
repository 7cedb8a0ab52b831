import type { SignalResult, TaskSignal } from '@tributary/connect-api'
import type { Clock } from '@tributary/support'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'

/** Who waits for an answer. */
interface Asker {
  readonly done: (result: SignalResult) => void
  readonly untilMs: number
}

/** A signal that is waiting. */
interface Request {
  readonly signal: TaskSignal
  readonly askers: Asker[]
}

/** Waits for an offset to be stored. */
interface StoredAsker extends Asker {
  readonly isRepeated: boolean
}

/**
 * Signals of the REST interface. Each waits for the loop of the task, which runs it, and then until an offset is stored
 * that has its id. A signal whose id an offset has is not run again: who got no answer can repeat the request. The offset
 * has the last ids only, so a signal waits as long as its id would push out one that no stored offset has.
 */
export class SignalRequests {
  readonly #clock: Clock
  readonly #busy: SignalResult
  readonly #waiting = new Map<string, Request>()
  /** By the id. One without an asker stays: until it is stored, it must not be pushed out. */
  readonly #unstored = new Map<string, StoredAsker[]>()

  constructor(clock: Clock, connectorName: string) {
    this.#clock = clock
    const reason = `Other signals of the connector are not stored yet, or its task is busy: GET /connectors/${connectorName}/health has the reason. Send the signal again later`
    this.#busy = { tag: 'unavailable', reason }
  }

  /** Resolves when the effect is stored, or the signal is refused. */
  async send(signal: TaskSignal): Promise<SignalResult> {
    this.#dropLate()
    const request = this.#waiting.get(signal.id) ?? { signal, askers: [] }
    if (request.askers.length === 0 && this.#waiting.size >= WAITING_MAX) return this.#busy
    this.#waiting.set(signal.id, request)
    const { promise, resolve } = Promise.withResolvers<SignalResult>()
    request.askers.push({ done: resolve, untilMs: this.#clock.monotonicMs() + ASKED_MS })
    return promise
  }

  /** Some wait for an offset to be stored. */
  get isWaiting(): boolean {
    return this.#unstored.size > 0
  }

  /** Some have not been run. */
  get isAsked(): boolean {
    return this.#waiting.size > 0
  }

  /**
   * Runs what has been sent. Returns whether an offset has to be stored now.
   *
   * @param run runs one, and returns why it has no effect; null: it has, and its id is in the progress
   */
  take(progress: () => IncrementalProgress, run: (signal: TaskSignal) => SignalResult | null): boolean {
    if (this.#waiting.size === 0) return false
    this.#dropLate()
    let hasTaken = false
    for (const [id, { signal, askers }] of this.#waiting) {
      const isRepeated = progress().signalIds.includes(id)
      const pushedOut = progress().oldestSignalId
      if (!isRepeated && pushedOut !== null && this.#unstored.has(pushedOut)) continue
      this.#waiting.delete(id)
      hasTaken = true
      const refusal = isRepeated ? null : run(signal)
      if (refusal === null) this.#awaitStored(id, askers, isRepeated)
      else for (const { done } of askers) done(refusal)
    }
    return hasTaken
  }

  #awaitStored(id: string, askers: readonly Asker[], isRepeated: boolean): void {
    const known = this.#unstored.get(id) ?? []
    this.#unstored.set(id, known)
    for (const [i, asker] of askers.entries()) known.push({ ...asker, isRepeated: isRepeated || i > 0 })
  }

  /** An offset with that progress was stored. */
  stored({ signalIds }: IncrementalProgress): void {
    for (const [id, askers] of this.#unstored) {
      if (!signalIds.includes(id)) continue
      this.#unstored.delete(id)
      for (const { isRepeated, done } of askers) done({ tag: 'accepted', isRepeated })
    }
  }

  /** Nobody waits for them any more. */
  #dropLate(): void {
    const nowMs = this.#clock.monotonicMs()
    const isHere = ({ untilMs }: Asker): boolean => untilMs > nowMs
    for (const [id, { askers }] of this.#waiting) {
      if (askers.some(isHere)) continue
      this.#waiting.delete(id)
      for (const { done } of askers) done(this.#busy)
    }
    for (const [id, askers] of this.#unstored) this.#unstored.set(id, askers.filter(isHere))
  }
}

const WAITING_MAX = 64
/** Longer than the worker waits for the answer of a task. */
const ASKED_MS = 60_000
