import { ErrorCode } from '../protocol/error-code.ts'
import { type BatchHeader, isTransactional } from '../batch/batch-header.ts'

/** How many batches of a producer a partition remembers to recognise repeated ones. */
const REMEMBERED_BATCHES = 5
const NO_EPOCH = -1
/** Of producers whose batches are refused for ever, so many are remembered. */
const AWAITED_MAX = 1_000

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

/** A batch of a transaction that was refused, or whose append has not begun (KIP-890). */
interface AwaitedBatch {
  epoch: number
  lowestSequence: number
}

export type SequenceCheck =
  | { readonly tag: 'new' }
  /** The batch is stored already. */
  | { readonly tag: 'duplicate'; readonly baseOffset: number }
  | { readonly tag: 'error'; readonly errorCode: number }

/** The idempotent producers of a partition: their epochs, last sequence numbers and open transactions. */
export class ProducerStates {
  readonly #states = new Map<bigint, ProducerState>()
  /** By producer id. */
  readonly #awaited = new Map<bigint, AwaitedBatch>()

  get all(): Iterable<ProducerState> {
    return this.#states.values()
  }

  get(producerId: bigint): ProducerState | undefined {
    return this.#states.get(producerId)
  }

  /**
   * A batch of a transaction has arrived that may be the first one of the producer here. Until one is stored, Kafka
   * refuses those with higher sequence numbers, also when it has refused this one: it will be sent again.
   */
  awaitFirst({ producerId, epoch, baseSequence }: BatchHeader): void {
    const state = this.#states.get(producerId)
    if (state !== undefined && state.openFrom !== null && state.epoch === epoch) return
    const awaited = this.#awaited.get(producerId)
    if (awaited === undefined || epoch > awaited.epoch) {
      this.#awaited.set(producerId, { epoch, lowestSequence: baseSequence })
      const [oldest] = this.#awaited.keys()
      if (this.#awaited.size > AWAITED_MAX && oldest !== undefined) this.#awaited.delete(oldest)
    } else if (epoch === awaited.epoch) awaited.lowestSequence = Math.min(awaited.lowestSequence, baseSequence)
  }

  /** Checks a batch of a producer against its earlier ones. */
  check(header: BatchHeader): SequenceCheck {
    const checked = this.#checkSequence(header)
    const isOpen = (this.#states.get(header.producerId)?.openFrom ?? null) !== null
    if (checked.tag !== 'new' || !isOpen || isTransactional(header)) return checked
    return refused(ErrorCode.INVALID_TXN_STATE)
  }

  #checkSequence(header: BatchHeader): SequenceCheck {
    const state = this.#states.get(header.producerId)
    if (state !== undefined && header.epoch < state.epoch) return refused(ErrorCode.INVALID_PRODUCER_EPOCH)
    const same = state?.epoch === header.epoch ? storedBatch(state, header) : undefined
    if (same !== undefined) return { tag: 'duplicate', baseOffset: same.baseOffset }
    const isAhead = header.baseSequence > (this.#awaited.get(header.producerId)?.lowestSequence ?? Infinity)
    return isAhead || !isNext(state, header) ? refused(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER) : { tag: 'new' }
  }

  /** A data batch of a producer was appended. */
  record(header: BatchHeader): void {
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
    if (!isTransactional(header)) return
    state.openFrom ??= header.baseOffset
    this.#awaited.delete(header.producerId)
  }

  /** A marker was appended. Returns the first offset of the transaction that it ends; null: it had no records here. */
  recordMarker(header: BatchHeader): number | null {
    const state = this.#stateOf(header.producerId)
    this.#awaited.delete(header.producerId)
    if (state.epoch !== header.epoch) {
      state.epoch = header.epoch
      state.batches = []
    }
    state.lastTimestamp = header.maxTimestamp
    const { openFrom } = state
    state.openFrom = null
    return openFrom
  }

  /** Forgets producers without an open transaction that have written nothing since then, by their own timestamps. */
  forgetIdle(sinceMs: number): number {
    let count = 0
    for (const { producerId, openFrom, lastTimestamp } of this.#states.values()) {
      if (openFrom !== null || lastTimestamp > sinceMs) continue
      this.#states.delete(producerId)
      count += 1
    }
    return count
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

function refused(errorCode: number): SequenceCheck {
  return { tag: 'error', errorCode }
}

function storedBatch({ batches }: ProducerState, header: BatchHeader): RememberedBatch | undefined {
  const lastSequence = sequenceAfter(header.baseSequence, header.lastOffsetDelta)
  return batches.find((batch) => batch.baseSequence === header.baseSequence && batch.lastSequence === lastSequence)
}

function isNext(state: ProducerState | undefined, { epoch, baseSequence }: BatchHeader): boolean {
  if (state === undefined) return true
  if (epoch > state.epoch) return baseSequence === 0 || state.epoch === NO_EPOCH
  const last = state.batches.at(-1)
  // Without remembered batches the epoch has begun with a marker, or nothing is known: sequences begin with 0.
  return baseSequence === (last === undefined ? 0 : sequenceAfter(last.lastSequence, 1))
}

/** Sequence numbers count records and wrap from 2^31 - 1 to 0. */
function sequenceAfter(sequence: number, count: number): number {
  return (sequence + count) & 0x7fffffff
}

export function lastSequenceOf(state: ProducerState): number {
  return state.batches.at(-1)?.lastSequence ?? -1
}
