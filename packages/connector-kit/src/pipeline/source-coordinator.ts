import type { PollResult } from '@tributary/connect-api'
import type { ChangeEventSource } from './change-event-source.ts'

/** Makes the phases when their turn comes: the stream begins where the snapshot ended. */
export interface SourcePhases {
  /** The first phase: a snapshot, or the stream itself when none is needed. */
  readonly first: ChangeEventSource
  /** The phase after the first is over; null when there is none. */
  next(): ChangeEventSource | null
}

/** Runs the phases of a connector one after the other: each poll goes to the phase whose turn it is. */
export class SourceCoordinator {
  readonly #phases: SourcePhases
  #current: ChangeEventSource | null

  constructor(phases: SourcePhases) {
    this.#phases = phases
    this.#current = phases.first
  }

  async poll(signal: AbortSignal): Promise<PollResult> {
    const current = this.#current
    if (current === null) return NOTHING
    const result = await current.poll(signal)
    if (result !== null) return result
    await current.close()
    this.#current = this.#phases.next()
    return NOTHING
  }

  async close(): Promise<void> {
    await this.#current?.close()
  }
}

const NOTHING: PollResult = { records: [], progress: null }
