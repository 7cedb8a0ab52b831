import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoppedError } from '@tributary/support'
import type { Clock, Timer } from '@tributary/support'

/** A clock whose time stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves time forward. What becomes due on the way runs in order of its time, each with the clock at its own time; after
   * each, everything that can go on without waiting for time does so first, so timers it sets on the way run as well.
   */
  advance(ms: number): Promise<void>
  /** Sleeps and calls that wait for a later time. */
  readonly pending: number
  /** Resolves when at least `count` sleeps or calls wait: the fact to wait for before `advance`. */
  untilPending(count?: number): Promise<void>
}

/** `startMs`: milliseconds since 1970 that `now` gives at first. */
export function fakeClock(startMs = 1_700_000_000_000): FakeClock {
  return new ManualClock(startMs)
}

interface Entry {
  readonly dueMs: number
  readonly run: () => void
}

/** Turns of the event loop in which nothing may happen before code is taken to be waiting: a few hops between promises, files or sockets. */
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

  /** The earliest entry up to `end`; of equal ones the first set, as with real timers. */
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
