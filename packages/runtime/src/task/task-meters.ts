import type { Counter, Histogram, Meter } from '@tributary/support'

/**
 * The instruments of a task. Each is used once per poll, batch or commit, not once per record. `taskMeters` returns the
 * same instruments for every part of a task.
 */
export interface TaskMeters {
  /** Records that the source has returned. */
  readonly polled: Counter
  /** Records that the transformations have dropped. */
  readonly dropped: Counter
  /** Records that the producer has accepted. */
  readonly sent: Counter
  /** Bytes of their keys and values, before compression. */
  readonly bytes: Counter
  readonly acknowledged: Counter
  readonly commits: Counter
  readonly failedCommits: Counter
  readonly commitMs: Histogram
}

export function taskMeters(meter: Meter): TaskMeters {
  return {
    polled: meter.counter('records.polled'),
    dropped: meter.counter('records.dropped'),
    sent: meter.counter('records.sent'),
    bytes: meter.counter('bytes.sent'),
    acknowledged: meter.counter('records.acknowledged'),
    commits: meter.counter('commits'),
    failedCommits: meter.counter('commits.failed'),
    commitMs: meter.histogram('commit.ms', COMMIT_BOUNDS_MS),
  }
}

/**
 * The time between a change in the source and its poll, for the last polled change that has a time. A snapshot has no
 * such number before the first one: only some sources know when a change happened.
 */
export class LagGauge {
  readonly #meter: Meter
  #lagMs: number | null = null

  constructor(meter: Meter) {
    this.#meter = meter
  }

  set(lagMs: number): void {
    if (this.#lagMs === null) this.#meter.gauge('lag.ms', () => this.#lagMs ?? 0)
    this.#lagMs = lagMs
  }
}

/** A healthy commit takes some milliseconds; from one second on the send window does not wait for it. */
const COMMIT_BOUNDS_MS = [5, 20, 100, 1_000, 5_000] as const
