import type { SendWindowLimits } from '../api/producer.ts'

/** So many records of each partition that is written to, however small the window: else 5,000 of them would get batches of one record. */
const RECORDS_PER_PARTITION = 10

/**
 * Which batches may be sent: those that lie in a window that begins where the caller says, and moves on with what it stores. What was
 * sent and lies in the window is all that a crash of the caller can repeat, also when the brokers stand still and records pile up:
 * those behind the window wait here, where a crash forgets them.
 *
 *     stored    │ batches begin here │ the last may end here │    waits
 *     ──────────┼────────ahead───────┴──────────span─────────┼───────────▶ tokens
 *             start
 *
 * A batch is judged by its first record, whatever the partition: the one that holds the oldest record can always go, so the window
 * always moves on, also when others have closed behind it.
 */
export class SendWindow {
  readonly #limits: SendWindowLimits
  /** Token that the window begins with. */
  start = 0
  /** Partitions with records that are not acknowledged. */
  partitions = 0
  /** Something was held back since this was set to false. */
  hasHeldBack = false

  constructor(limits: SendWindowLimits = UNLIMITED) {
    this.#limits = limits
  }

  /** Whether a batch may be sent whose first record has this token. */
  admits(firstToken: number): boolean {
    if (firstToken < this.start + this.#atLeast(this.#limits.ahead)) return true
    this.hasHeldBack = true
    return false
  }

  /** Whether a record may join a batch whose first record has this token. */
  spans(firstToken: number, token: number): boolean {
    return token - firstToken < this.#atLeast(this.#limits.span)
  }

  #atLeast(limit: number): number {
    return Math.max(limit, this.partitions * RECORDS_PER_PARTITION)
  }
}

const UNLIMITED: SendWindowLimits = { ahead: Infinity, span: Infinity }
