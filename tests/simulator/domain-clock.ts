import { StoppedError, type Clock, type Timer } from '@tributary/support'
import type { Domain, Scheduler } from './scheduler.ts'

/** The time of the simulation begins here, in milliseconds since 1970. */
export const BEGIN_MS = 1_700_000_000_000

/** The clock of a process or a thread. Its timers are events of that domain. */
export class DomainClock implements Clock {
  readonly #scheduler: Scheduler
  readonly #domain: Domain

  constructor(scheduler: Scheduler, domain: Domain) {
    this.#scheduler = scheduler
    this.#domain = domain
  }

  now(): number {
    const { monotonicMs, wallOffsetMs } = this.#domain.process
    return Math.floor(BEGIN_MS + monotonicMs + wallOffsetMs)
  }

  nowMicros(): number {
    const { monotonicMs, wallOffsetMs } = this.#domain.process
    return (BEGIN_MS + wallOffsetMs) * 1_000 + Math.round(monotonicMs * 1_000)
  }

  monotonicMs(): number {
    return Math.floor(this.#domain.process.monotonicMs)
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
    return this.#scheduler.after(Math.max(0, ms) / this.#domain.process.clockRate, this.#domain, run)
  }
}
