import type { SendWindowLimits } from '../api/producer.ts'

/**
 * Of the window, what one batch may span. A little less than half, so that two full batches are under way at a time: one that is
 * stored while the other is acknowledged. More and smaller ones cost the brokers more.
 */
const SPAN_SHARE = 0.45

/**
 * Which batches may be sent: those that lie in a window that begins where the caller says, and moves on with what it stores. What was
 * sent and lies in the window is all that a crash of the caller makes it send again, also when the brokers have stood still and records
 * have piled up: those beyond the window wait here, where a crash forgets them.
 *
 *     stored    │ batches begin here │ the last may end here │    waits
 *     ──────────┼───────ahead────────┴─────────span──────────┼───────────▶ tokens
 *             start
 *
 * A batch is judged by its first record, whatever the partition: the one that holds the oldest record can always go, so the window
 * always moves on, also when others have closed beyond it.
 */
export class SendWindow {
  readonly #limits: SendWindowLimits
  #ahead = Infinity
  #span = Infinity
  /** Token that the window begins with. */
  start = 0
  /** Something was held back since this was set to false. */
  hasHeldBack = false

  constructor(limits: SendWindowLimits = UNLIMITED) {
    this.#limits = limits
    this.setPartitions(0)
  }

  /** So many partitions have records that are not acknowledged. */
  setPartitions(count: number): void {
    const { records, recordsPerPartition } = this.#limits
    if (records === Infinity) return
    const most = Math.max(records, count * recordsPerPartition)
    this.#span = Math.floor(most * SPAN_SHARE)
    this.#ahead = most - this.#span
  }

  /** Whether a batch may be sent whose first record has this token. Notes it when not. */
  admits(firstToken: number): boolean {
    if (this.contains(firstToken)) return true
    this.hasHeldBack = true
    return false
  }

  /** Whether a batch may begin with this token. */
  contains(firstToken: number): boolean {
    return firstToken < this.start + this.#ahead
  }

  /** Whether a record may join a batch whose first record has this token. */
  spans(firstToken: number, token: number): boolean {
    return token - firstToken < this.#span
  }
}

const UNLIMITED: SendWindowLimits = { records: Infinity, recordsPerPartition: 0 }
