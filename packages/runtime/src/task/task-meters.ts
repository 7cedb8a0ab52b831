import type { Counter, Histogram, Meter } from '@tributary/support'

/** The instruments of a task. Each is used once per poll, batch or commit, not once per record. */
export interface TaskMeters {
  /** Records that the source has returned. */
  readonly polled: Counter
  /** Records that a transformation has dropped. */
  readonly dropped: Counter
  readonly sent: Counter
  /** Bytes of keys and values, before compression. */
  readonly bytes: Counter
  readonly acknowledged: Counter
  readonly commits: Counter
  readonly failedCommits: Counter
  readonly commitMs: Histogram
  /** Between the last polled change and its poll. Stays as it was while there are no changes. */
  readonly lag: LagGauge
}

/** Absent from snapshots until it is set: only some sources know when a change happened. */
export interface LagGauge {
  set(ms: number): void
}

export function taskMeters(meter: Meter): TaskMeters {
  let lagMs: number | null = null
  return {
    polled: meter.counter('records.polled'),
    dropped: meter.counter('records.dropped'),
    sent: meter.counter('records.sent'),
    bytes: meter.counter('bytes.sent'),
    acknowledged: meter.counter('records.acknowledged'),
    commits: meter.counter('commits'),
    failedCommits: meter.counter('commits.failed'),
    commitMs: meter.histogram('commit.ms', COMMIT_BOUNDS_MS),
    lag: {
      set(ms) {
        if (lagMs === null) meter.gauge('lag.ms', () => lagMs ?? 0)
        lagMs = ms
      },
    },
  }
}

/** A healthy commit takes some milliseconds; from one second on the send window does not wait for it. */
const COMMIT_BOUNDS_MS = [5, 20, 100, 1_000, 5_000] as const
