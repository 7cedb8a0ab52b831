import type { Clock } from '@tributary/support'

/** A time by both clocks, which differ when the machine sleeps. */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.now() }
}

/** Index of the end by the monotonic clock, and of the end by the wall clock. */
const MONOTONIC = 0
const WALL = 1

/**
 * Until when this worker is certainly the only one of its group, in memory that the main thread shares with the threads
 * of tasks. The main thread renews it; whoever writes to topics reads it before each request, without a message that a
 * busy thread would see late.
 *
 * The lease ends by the monotonic clock, which no change of the date affects. It also ends when the wall clock has
 * passed the same time: the monotonic clock stands still while the machine sleeps, and the brokers' clocks do not. A
 * wall clock that is set forward ends the lease early, until the next renewal.
 */
export class Lease {
  readonly #ends: BigInt64Array
  readonly #clock: Clock

  /** `memory`: of the lease of another thread. Default: a new lease, which is not held. */
  constructor(clock: Clock, memory: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.#clock = clock
    this.#ends = new BigInt64Array(memory)
  }

  /** For the constructor in another thread. */
  get memory(): SharedArrayBuffer {
    return this.#ends.buffer as SharedArrayBuffer
  }

  get isHeld(): boolean {
    return (
      this.#clock.monotonicMs() < Number(Atomics.load(this.#ends, MONOTONIC)) &&
      this.#clock.now() < Number(Atomics.load(this.#ends, WALL))
    )
  }

  /** `since`: read before the request whose answer proves the membership. The machine may have slept meanwhile. */
  renew(since: Moment, durationMs: number): void {
    Atomics.store(this.#ends, WALL, BigInt(Math.floor(since.wallMs + durationMs)))
    Atomics.store(this.#ends, MONOTONIC, BigInt(Math.floor(since.monotonicMs + durationMs)))
  }

  /** Ends it now. */
  revoke(): void {
    Atomics.store(this.#ends, MONOTONIC, 0n)
    Atomics.store(this.#ends, WALL, 0n)
  }

  /** Resolves when it is held. Rejects with StoppedError when the signal fires. */
  async held(signal: AbortSignal): Promise<void> {
    while (!this.isHeld) await this.#clock.sleep(HELD_CHECK_MS, signal)
  }
}

/** A renewal sends no message; a wait for one lasts for seconds. */
const HELD_CHECK_MS = 100
