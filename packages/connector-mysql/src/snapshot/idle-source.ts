import type { ChangeSource, Poll, SourceState } from '@tributary/connector-kit'
import type { Clock } from '@tributary/support'

/** Follows a snapshot when the connector is not to stream: yields nothing until the task stops. */
export class IdleSource implements ChangeSource {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns now and then, since offsets are committed between polls. */
  async poll({ signal }: Poll): Promise<SourceState> {
    await this.#clock.sleep(IDLE_MS, signal)
    return 'idle'
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

const IDLE_MS = 1_000
