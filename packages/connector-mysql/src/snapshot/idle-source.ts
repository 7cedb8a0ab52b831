import type { PollResult } from '@tributary/connect-api'
import type { ChangeEventSource } from '@tributary/connector-kit'
import type { Clock } from '@tributary/support'

/** What a connector does that is not to stream, once its snapshot is over: nothing, until it is stopped. */
export class IdleSource implements ChangeEventSource {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Gives nothing, now and then: offsets are committed between polls. */
  async poll(signal: AbortSignal): Promise<PollResult> {
    await this.#clock.sleep(IDLE_MS, signal)
    return { records: [], progress: null }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

const IDLE_MS = 1_000
