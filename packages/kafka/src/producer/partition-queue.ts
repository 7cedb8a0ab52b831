import { assert } from '@tributary/support'
import { sequenceAfter, stampBatch, type ProducerState } from '../protocol/record-batch.ts'
import { NO_SEQUENCE, type Batch, type Failure } from './batch.ts'

/** Brokers remember the last five batches of a producer to detect duplicates (KIP-98): no more may be in flight. */
export const IN_FLIGHT_MAX = 5

/** Decides whether a batch may be produced: the send window, or the open transaction. */
export interface BatchAdmission {
  /** `firstToken`: of the first record of the batch. */
  admits(firstToken: number): boolean
  /** Whether the batch waits for something else than brokers: that time is not part of `delivery.timeout.ms`. */
  holdsBack(firstToken: number): boolean
}

/** What to do after a failure, when all batches in flight are answered. */
export type Settlement =
  /** The batches are back in the queue, in order; produce them again after a pause. */
  | { readonly tag: 'retry' }
  /** The batches are back in the queue with a new epoch: the broker had lost the old sequence numbers. */
  | { readonly tag: 'epochBumped'; readonly batch: Batch }
  /** The first batch was too large and is removed from the queue; pass its parts to `putFirst`. */
  | { readonly tag: 'split'; readonly batch: Batch }
  /** The broker lost the sequence numbers, and a batch may or may not have been written. */
  | { readonly tag: 'sequenceLost'; readonly batch: Batch }

/**
 * Order and sequence numbers of one partition (KIP-98): the waiting batches, the batches in flight, and how responses
 * move them. It uses no socket and no clock; the caller passes the time.
 *
 *     waiting ──take──▶ in flight ──acknowledge──▶ removed
 *        ▲                  │ fail
 *        └─────settle───────┘   when every batch in flight is answered
 *
 * - A batch gets its sequence number at the first attempt, in order, and keeps it in every retry, so that the broker
 *   can distinguish a duplicate (which it acknowledges) from a gap.
 * - After a failure nothing is produced until all batches in flight are answered: those after the failed one fail with
 *   OUT_OF_ORDER_SEQUENCE_NUMBER as a consequence. Then all of them return to the queue, in order.
 * - A broker that does not know a producer accepts any sequence number as its first. So only one batch is in flight
 *   until one is acknowledged: at the start, after each failure, and after a time in which the broker may have
 *   forgotten the producer.
 */
export class PartitionQueue {
  readonly #admission: BatchAdmission
  #producer: ProducerState
  #nextSequence: number
  #waiting: Batch[] = []
  #inFlight: Batch[] = []
  #isProven = false
  #lastAckMs = -Infinity
  #isRecovering = false
  /** Set by the dispatcher during the pause before a retry. */
  isPaused = false

  constructor(producer: ProducerState, firstSequence: number, admission: BatchAdmission) {
    this.#admission = admission
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

  /** No batch waits and none is in flight. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#inFlight.length === 0
  }

  /** All batches, oldest first. */
  *batches(): Generator<Batch> {
    yield* this.#inFlight
    yield* this.#waiting
  }

  holdsBack(batch: Batch): boolean {
    return this.#admission.holdsBack(batch.firstToken)
  }

  enqueue(batch: Batch): void {
    this.#waiting.push(batch)
  }

  /** Inserts batches before the waiting ones. */
  putFirst(batches: readonly Batch[]): void {
    this.#waiting.unshift(...batches)
  }

  /** Reuses the sequence numbers of a batch that `settle` removed: the broker has not counted its records. */
  forget(batch: Batch): void {
    const isLast = this.#inFlight.length === 0 && this.#waiting.every(({ sequence }) => sequence === NO_SEQUENCE)
    assert(isLast, 'no batch after a forgotten one has a sequence number')
    if (batch.sequence !== NO_SEQUENCE) this.#nextSequence = batch.sequence
  }

  /** Whether `take` may be called now. */
  canProduce(nowMs: number): boolean {
    const [next] = this.#waiting
    if (next === undefined || next.encoded === null || this.isPaused || this.#isRecovering) return false
    return this.#inFlight.length < this.#inFlightMax(next, nowMs) && this.#admission.admits(next.firstToken)
  }

  /** Moves the next batch in flight and returns it. Its bytes contain producer id, epoch and sequence. */
  take(nowMs: number): Batch {
    assert(this.canProduce(nowMs), 'a batch is taken only when one may be produced')
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

  /** The broker has written the batch. */
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

  /**
   * After a failure, returns what to do when the last batch in flight is answered; null before that and without a
   * failure.
   */
  settle(): Settlement | null {
    if (!this.#isRecovering || this.#inFlight.some(({ failure }) => failure === null)) return null
    const failed = this.#inFlight
    this.#inFlight = []
    this.#isRecovering = false
    this.#isProven = false
    const [first, ...others] = failed
    // No batch is left when all were acknowledged in the meantime.
    if (first === undefined) return null
    if (first.failure === 'tooLarge') {
      this.putFirst(others)
      return { tag: 'split', batch: first }
    }
    this.putFirst(failed)
    if (first.failure !== 'sequence') return { tag: 'retry' }
    // No batch precedes the first one, so its failure is not a consequence of another.
    const mayBumpEpoch = this.#producer.isTransactional !== true && this.#producer.epoch < EPOCH_MAX
    if (!mayBumpEpoch || this.#waiting.some(({ isInDoubt }) => isInDoubt)) {
      return { tag: 'sequenceLost', batch: first }
    }
    this.#bumpEpoch()
    return { tag: 'epochBumped', batch: first }
  }

  /**
   * KIP-360: sequence numbers restart at 0 with the next epoch, which the producer may choose itself unless it has a
   * transactional id.
   */
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

/** Brokers forget a producer after producer.id.expiration.ms without a batch, a day by default. */
const FORGOTTEN_AFTER_MS = 3_600_000

const EPOCH_MAX = 0x7fff

/**
 * Whether the timestamps of the batch are old. The broker computes the age of a producer from them, and forgets one
 * that writes old records, at a restart or within minutes. With one batch in flight they cannot be reordered
 * nevertheless.
 */
function isOld({ content }: Batch): boolean {
  return content.createdAtMs - content.maxTimestamp > FORGOTTEN_AFTER_MS
}
