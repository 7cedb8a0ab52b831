import type { Counter, Histogram, Meter, WindowStat } from '@tributary/support'

/**
 * The instruments of a task. Each is used once per poll, batch or commit, not once per record. `taskMeters` returns the
 * same instruments for every part of a task.
 */
export interface TaskMeters {
  /** Records that the source has returned. */
  readonly polled: Counter
  /** Records that the transformations have dropped. */
  readonly dropped: Counter
  /** Records that were sent with placeholders, since they were too large. */
  readonly replaced: Counter
  /** Records that the producer has accepted. */
  readonly sent: Counter
  /** Bytes of their keys and values, before compression. */
  readonly bytes: Counter
  readonly acknowledged: Counter
  readonly commits: Counter
  readonly failedCommits: Counter
  readonly commitMs: Histogram
  /** Seconds from the commit of a change to its acknowledgement, for streamed changes. */
  readonly latency: Histogram
  /** Polls that failed and were repeated. */
  readonly pollRetries: Counter
  /** Milliseconds of each poll that returned records. */
  readonly pollWindow: WindowStat
  /** Records of each of these polls. */
  readonly batchWindow: WindowStat
  /** Records that each of these polls has sent. */
  readonly sentWindow: WindowStat
  /** Records in flight at the end of these polls. */
  readonly activeWindow: WindowStat
  readonly commitWindow: WindowStat
  /** Records of each committed transaction. */
  readonly transactionWindow: WindowStat
  readonly transactionsAborted: Counter
  /** Commits in the middle of a transaction of the source, which was too large or took too long. */
  readonly transactionsSplit: Counter
}

export function taskMeters(meter: Meter): TaskMeters {
  return {
    polled: meter.counter('records.polled'),
    dropped: meter.counter('records.dropped'),
    replaced: meter.counter('records.tooLarge.replaced'),
    sent: meter.counter('records.sent'),
    bytes: meter.counter('bytes.sent'),
    acknowledged: meter.counter('records.acknowledged'),
    commits: meter.counter('commits'),
    failedCommits: meter.counter('commits.failed'),
    commitMs: meter.histogram('commit.ms', COMMIT_BOUNDS_MS),
    latency: meter.histogram('latency.seconds', LATENCY_BOUNDS_SECONDS),
    pollRetries: meter.counter('polls.retried'),
    pollWindow: meter.window('poll.ms'),
    batchWindow: meter.window('poll.records'),
    sentWindow: meter.window('records.sent'),
    activeWindow: meter.window('records.inFlight'),
    commitWindow: meter.window('commit.ms'),
    transactionWindow: meter.window('transaction.records'),
    transactionsAborted: meter.counter('transactions.aborted'),
    transactionsSplit: meter.counter('transactions.split'),
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

/** From what a loopback needs to what a worker that catches up has. */
const LATENCY_BOUNDS_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600,
] as const

/** A healthy commit takes some milliseconds; from one second on the send window does not wait for it. */
const COMMIT_BOUNDS_MS = [5, 20, 100, 1_000, 5_000] as const
