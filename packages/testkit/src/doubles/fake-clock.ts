import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoppedError } from '@tributary/support'
import type { Clock, Timer } from '@tributary/support'

/** A clock whose time does not move until a test advances it. */
export interface FakeClock extends Clock {
  /**
   * Moves time forward and runs the timers that become due, in order, each with the clock at its own time. After each
   * timer, code that does not wait for the clock runs first, so that timers which it sets in this span run as well.
   */
  advance(ms: number): Promise<void>
  /** The number of sleeps and timers that are not due yet. */
  readonly pending: number
  /** Resolves when at least `count` sleeps or timers are pending. A test awaits it before `advance`. */
  untilPending(count?: number): Promise<void>
}

/** @param startMs the time at the start, in milliseconds since 1970 */
export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  return new ManualClock(startMs)
}

interface Entry {
  readonly dueMs: number
  readonly run: () => void
}

/**
 * Turns of the event loop that code gets before the clock moves on: enough for a few steps between promises, files or
 * sockets.
 */
const SETTLE_TURNS = 5

class ManualClock implements FakeClock {
  #nowMs: number
  readonly #entries = new Set<Entry>()

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  get pending(): number {
    return this.#entries.size
  }

  now(): number {
    return this.#nowMs
  }

  nowMicros(): number {
    return this.#nowMs * 1000
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(new StoppedError())
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        timer.cancel()
        reject(new StoppedError())
      }
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  after(ms: number, run: () => void): Timer {
    const entry = { dueMs: this.#nowMs + ms, run }
    this.#entries.add(entry)
    return { cancel: () => void this.#entries.delete(entry) }
  }

  async advance(ms: number): Promise<void> {
    const end = this.#nowMs + ms
    await settle()
    for (let next = this.#nextDue(end); next !== undefined; next = this.#nextDue(end)) {
      this.#entries.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.run()
      await settle()
    }
    this.#nowMs = end
  }

  async untilPending(count = 1): Promise<void> {
    while (this.#entries.size < count) await nextTurn()
  }

  /** The earliest entry up to `end`; of several with the same time, the one that was set first, as with real timers. */
  #nextDue(end: number): Entry | undefined {
    let first: Entry | undefined
    for (const entry of this.#entries) {
      if (entry.dueMs <= end && (first === undefined || entry.dueMs < first.dueMs)) first = entry
    }
    return first
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn++) await nextTurn()
}
