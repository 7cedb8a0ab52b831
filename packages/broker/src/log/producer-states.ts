import { ErrorCode } from '../protocol/error-code.ts'
import type { BatchHeader } from '../batch/batch-header.ts'

/** How many batches of a producer a partition remembers to recognise repeated ones. */
const REMEMBERED_BATCHES = 5
const NO_EPOCH = -1

interface RememberedBatch {
  readonly baseSequence: number
  readonly lastSequence: number
  readonly baseOffset: number
  readonly lastOffset: number
}

export interface ProducerState {
  readonly producerId: bigint
  epoch: number
  /** Oldest first, of the current epoch. */
  batches: RememberedBatch[]
  /** The first offset of its open transaction; null: none. */
  openFrom: number | null
  lastTimestamp: bigint
}

export type SequenceCheck =
  | { readonly tag: 'new' }
  /** The batch is stored already. */
  | { readonly tag: 'duplicate'; readonly baseOffset: number }
  | { readonly tag: 'error'; readonly errorCode: number }

/** The idempotent producers of a partition: their epochs, last sequence numbers and open transactions. */
export class ProducerStates {
  readonly #states = new Map<bigint, ProducerState>()

  get all(): Iterable<ProducerState> {
    return this.#states.values()
  }

  get(producerId: bigint): ProducerState | undefined {
    return this.#states.get(producerId)
  }

  /** Checks a batch of a producer against its earlier ones. */
  check(header: BatchHeader): SequenceCheck {
    const state = this.#states.get(header.producerId)
    if (state === undefined) return { tag: 'new' }
    if (header.epoch < state.epoch) return { tag: 'error', errorCode: ErrorCode.INVALID_PRODUCER_EPOCH }
    if (header.epoch > state.epoch) {
      const isFirst = header.baseSequence === 0 || state.epoch === NO_EPOCH
      return isFirst ? { tag: 'new' } : { tag: 'error', errorCode: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER }
    }
    const lastSequence = sequenceAfter(header.baseSequence, header.lastOffsetDelta)
    const same = state.batches.find(
      (batch) => batch.baseSequence === header.baseSequence && batch.lastSequence === lastSequence,
    )
    if (same !== undefined) return { tag: 'duplicate', baseOffset: same.baseOffset }
    const last = state.batches.at(-1)
    // Without remembered batches the epoch has begun with a marker, or nothing is known: sequences begin with 0.
    const expected = last === undefined ? 0 : sequenceAfter(last.lastSequence, 1)
    if (header.baseSequence === expected) return { tag: 'new' }
    return { tag: 'error', errorCode: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER }
  }

  /** A data batch of a producer was appended. */
  record(header: BatchHeader, isTransactional: boolean): void {
    const state = this.#stateOf(header.producerId)
    if (state.epoch !== header.epoch) {
      state.epoch = header.epoch
      state.batches = []
    }
    state.batches.push({
      baseSequence: header.baseSequence,
      lastSequence: sequenceAfter(header.baseSequence, header.lastOffsetDelta),
      baseOffset: header.baseOffset,
      lastOffset: header.lastOffset,
    })
    if (state.batches.length > REMEMBERED_BATCHES) state.batches.shift()
    state.lastTimestamp = header.maxTimestamp
    if (isTransactional) state.openFrom ??= header.baseOffset
  }

  /** A marker was appended. Returns the first offset of the transaction that it ends; null: it had no records here. */
  recordMarker(header: BatchHeader): number | null {
    const state = this.#stateOf(header.producerId)
    if (state.epoch !== header.epoch) {
      state.epoch = header.epoch
      state.batches = []
    }
    state.lastTimestamp = header.maxTimestamp
    const { openFrom } = state
    state.openFrom = null
    return openFrom
  }

  #stateOf(producerId: bigint): ProducerState {
    let state = this.#states.get(producerId)
    if (state === undefined) {
      state = { producerId, epoch: NO_EPOCH, batches: [], openFrom: null, lastTimestamp: -1n }
      this.#states.set(producerId, state)
    }
    return state
  }
}

/** Sequence numbers count records and wrap from 2^31 - 1 to 0. */
function sequenceAfter(sequence: number, count: number): number {
  return (sequence + count) & 0x7fffffff
}

export function lastSequenceOf(state: ProducerState): number {
  return state.batches.at(-1)?.lastSequence ?? -1
}
