import type { SendWindowLimits } from '../api/producer.ts'

/**
 * The part of the window that one batch may span. Slightly less than half, so that two full batches are in flight:
 * offsets of one are stored while the other is acknowledged. More and smaller batches cost the brokers more.
 */
const SPAN_SHARE = 0.45

/**
 * The send window: batches are produced only if they are in it. The caller advances its start with the offsets that it
 * stores. So a crash of the caller repeats at most the records of one window, also after an outage of the brokers
 * during which records accumulated: records after the window wait in memory.
 *
 *     stored    │ batches start here │ the last may end here │   waiting
 *     ──────────┼───────ahead────────┴─────────span──────────┼───────────▶ tokens
 *             start
 *
 * The first record of a batch decides, whatever its partition. The batch with the oldest record may always be produced,
 * so the window always advances, even if batches after the window are sealed.
 */
export class SendWindow {
  readonly #limits: SendWindowLimits
  #ahead = Infinity
  #span = Infinity
  /** The first token of the window. */
  start = 0
  /** Whether a batch was held back since this was set to false. */
  hasHeldBack = false

  constructor(limits: SendWindowLimits = UNLIMITED) {
    this.#limits = limits
    this.setPartitions(0)
  }

  /** Sets the number of partitions with unacknowledged records. */
  setPartitions(count: number): void {
    const { records, recordsPerPartition } = this.#limits
    if (records === Infinity) return
    const size = Math.max(records, count * recordsPerPartition)
    this.#span = Math.floor(size * SPAN_SHARE)
    this.#ahead = size - this.#span
  }

  /** Whether a batch whose first record has this token may be produced. Sets `hasHeldBack` if not. */
  admits(firstToken: number): boolean {
    if (!this.holdsBack(firstToken)) return true
    this.hasHeldBack = true
    return false
  }

  holdsBack(firstToken: number): boolean {
    return firstToken >= this.start + this.#ahead
  }

  /** Whether a record may join a batch whose first record has this token. */
  spans(firstToken: number, token: number): boolean {
    return token - firstToken < this.#span
  }
}

const UNLIMITED: SendWindowLimits = { records: Infinity, recordsPerPartition: 0 }
