import { assert } from '@tributary/support'
import { sequenceAfter, stampBatch, type ProducerState } from '../protocol/record-batch.ts'
import { NO_SEQUENCE, type Batch, type Failure } from './batch.ts'
import type { SendWindow } from './send-window.ts'

/** Brokers keep the last five batches of a producer to recognise repeats (KIP-98): more must not be under way. */
export const IN_FLIGHT_MAX = 5

/** What is to be done when all that was under way is answered and some of it failed. */
export type Settlement =
  /** Put back in order; send it again after a pause. */
  | { readonly tag: 'resend' }
  /** Put back under a new epoch: the broker had lost or overrun the old numbers. */
  | { readonly tag: 'epochBumped'; readonly batch: Batch }
  /** The first batch was too large; it is taken out and its parts are to be given to `putFirst`. */
  | { readonly tag: 'split'; readonly batch: Batch }
  /** The broker does not know our numbers any more, and a batch may or may not have been written. */
  | { readonly tag: 'sequenceLost'; readonly batch: Batch }

/**
 * Order and sequence numbers of one partition (KIP-98): what is sent next, what is under way, and what follows from the
 * answers. It knows no sockets and no time but what it is told.
 *
 *     waiting ──take──▶ in flight ──acknowledge──▶ gone
 *        ▲                  │ fail
 *        └─────settle───────┘   when every batch in flight is answered
 *
 * - Sequence numbers are given at the first sending, in order, and kept through every resending, so that the broker can
 *   tell a repeat (which counts as written) from a gap.
 * - When a batch fails nothing more is sent until all that is under way is answered: what was behind it gets
 *   OUT_OF_ORDER_SEQUENCE_NUMBER, an echo that means nothing by itself. Then all of it goes back, in order.
 * - A broker that knows nothing of a producer takes any number as the first. So one batch alone is sent until one is
 *   acknowledged: at the start, after each failure, and after a time in which the broker may have forgotten us.
 */
export class PartitionQueue {
  readonly #window: SendWindow
  #producer: ProducerState
  #nextSequence: number
  #waiting: Batch[] = []
  #inFlight: Batch[] = []
  #isProven = false
  #lastAckMs = -Infinity
  #isRecovering = false
  /** Set from outside while a pause lasts. */
  isPaused = false

  constructor(producer: ProducerState, firstSequence: number, window: SendWindow) {
    this.#window = window
    this.#producer = producer
    this.#nextSequence = firstSequence
  }

  get epoch(): number {
    return this.#producer.epoch
  }

  get inFlightCount(): number {
    return this.#inFlight.length
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Nothing waits and nothing is under way. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#inFlight.length === 0
  }

  /** All batches, oldest first. */
  *batches(): Generator<Batch> {
    yield* this.#inFlight
    yield* this.#waiting
  }

  enqueue(batch: Batch): void {
    this.#waiting.push(batch)
  }

  /** Puts batches before all that wait. */
  putFirst(batches: readonly Batch[]): void {
    this.#waiting.unshift(...batches)
  }

  /** Whether `take` may be called now. */
  canSend(nowMs: number): boolean {
    const [next] = this.#waiting
    if (next === undefined || next.encoded === null || this.isPaused || this.#isRecovering) return false
    return this.#inFlight.length < this.#inFlightMax(next, nowMs) && this.#window.admits(next.firstToken)
  }

  /** The next batch, which is under way from now on. Its bytes carry producer id, epoch and sequence. */
  take(nowMs: number): Batch {
    assert(this.canSend(nowMs), 'a batch is taken only when one may be sent')
    if (nowMs - this.#lastAckMs > FORGOTTEN_AFTER_MS) this.#isProven = false
    const batch = this.#waiting.shift()
    assert(batch !== undefined, 'a batch waits')
    if (batch.sequence === NO_SEQUENCE) {
      batch.sequence = this.#nextSequence
      this.#nextSequence = sequenceAfter(batch.sequence, batch.content.recordCount)
    }
    if (!batch.isStamped) {
      stampBatch(batch.bytes, this.#producer, batch.sequence)
      batch.isStamped = true
    }
    batch.attempts += 1
    batch.failure = null
    this.#inFlight.push(batch)
    return batch
  }

  /** The broker has the batch. */
  acknowledge(batch: Batch, nowMs: number): void {
    const index = this.#inFlight.indexOf(batch)
    assert(index >= 0, 'an acknowledged batch was in flight')
    this.#inFlight.splice(index, 1)
    this.#isProven = true
    this.#lastAckMs = nowMs
  }

  /** The broker has not acknowledged the batch. */
  fail(batch: Batch, failure: Failure): void {
    assert(this.#inFlight.includes(batch), 'a failed batch was in flight')
    batch.failure = failure
    if (failure === 'inDoubt') batch.isInDoubt = true
    this.#isRecovering = true
  }

  /** Decides what follows when the last answer has come after a failure; null before that, and when nothing failed. */
  settle(): Settlement | null {
    if (!this.#isRecovering || this.#inFlight.some(({ failure }) => failure === null)) return null
    const failed = this.#inFlight
    this.#inFlight = []
    this.#isRecovering = false
    this.#isProven = false
    const [first, ...others] = failed
    // All that was under way besides the failed batch may have been acknowledged since; then nothing is left to settle.
    if (first === undefined) return null
    if (first.failure === 'tooLarge') {
      this.putFirst(others)
      return { tag: 'split', batch: first }
    }
    this.putFirst(failed)
    if (first.failure !== 'sequence') return { tag: 'resend' }
    // Nothing stands before the first one, so this is no echo.
    if (this.#waiting.some(({ isInDoubt }) => isInDoubt) || this.#producer.epoch === EPOCH_MAX) {
      return { tag: 'sequenceLost', batch: first }
    }
    this.#bumpEpoch()
    return { tag: 'epochBumped', batch: first }
  }

  /** KIP-360: numbers begin again under the next epoch, which the broker takes from the producer without being asked. */
  #bumpEpoch(): void {
    this.#producer = { producerId: this.#producer.producerId, epoch: this.#producer.epoch + 1 }
    this.#nextSequence = 0
    for (const batch of this.#waiting) {
      batch.sequence = NO_SEQUENCE
      batch.isStamped = false
    }
  }

  #inFlightMax(next: Batch, nowMs: number): number {
    if (!this.#isProven || nowMs - this.#lastAckMs > FORGOTTEN_AFTER_MS) return 1
    const last = this.#inFlight.at(-1)
    return isOld(next) || (last !== undefined && isOld(last)) ? 1 : IN_FLIGHT_MAX
  }
}

/** Brokers forget a producer after producer.id.expiration.ms without a batch of it, a day by default. */
const FORGOTTEN_AFTER_MS = 3_600_000

const EPOCH_MAX = 0x7fff

/**
 * Records with own timestamps that lie back: the broker counts the age of a producer from the timestamps of its records,
 * and forgets one that writes old ones every few minutes or at a restart. Sent one by one they cannot change places.
 */
function isOld({ content }: Batch): boolean {
  return content.createdAtMs - content.maxTimestamp > FORGOTTEN_AFTER_MS
}
