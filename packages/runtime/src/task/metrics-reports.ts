import type { Clock, Meter, MeterSnapshot, Timer } from '@tributary/support'

export interface MetricsReportsOptions {
  readonly meter: Pick<Meter, 'snapshot'>
  readonly clock: Clock
  readonly report: (metrics: MeterSnapshot) => void
}

/** Reports a snapshot of the meter at an interval, and a last one when it is disposed of. */
export class MetricsReports implements Disposable {
  readonly #options: MetricsReportsOptions
  #timer: Timer | null

  constructor(options: MetricsReportsOptions) {
    this.#options = options
    this.#timer = this.#nextTimer()
  }

  #nextTimer(): Timer {
    return this.#options.clock.after(INTERVAL_MS, () => {
      this.#report()
      this.#timer = this.#nextTimer()
    })
  }

  /** Reports now, besides the reports at an interval. Nothing after it was disposed of. */
  now(): void {
    if (this.#timer !== null) this.#report()
  }

  #report(): void {
    const { report, meter } = this.#options
    report(meter.snapshot())
  }

  [Symbol.dispose](): void {
    if (this.#timer === null) return
    this.#timer.cancel()
    this.#timer = null
    this.#report()
  }
}

/** A snapshot takes some microseconds. Monitoring systems usually read such numbers every ten seconds or less often. */
const INTERVAL_MS = 2_000
