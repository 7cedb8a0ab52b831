import { ErrorCode } from '../protocol/error-code.ts'
import type { BrokerStorage } from '../storage/broker-storage.ts'
import type { JournalOffset, JournalTransaction } from '../storage/journal-entry.ts'
import type { QueuedTimer, TimerQueue } from '../timers/timer-queue.ts'

export type TransactionState = JournalTransaction['state']

/** A transactional id and its current transaction. */
export interface Transaction {
  readonly transactionalId: string
  producerId: bigint
  epoch: number
  /** The producer id before the epochs of the last one were used up; -1: none. */
  lastProducerId: bigint
  /** The epoch that its owner claimed last; a repeated claim gets the same answer. -1: none. */
  lastEpoch: number
  timeoutMs: number
  state: TransactionState
  /** `topic/partition` → both. */
  readonly partitions: Map<string, readonly [string, number]>
  /** Group → offsets that a commit makes visible. */
  readonly groups: Map<string, readonly JournalOffset[]>
  startedAtMs: number
  /** When its last transaction ended, or a producer claimed it later. */
  idleSinceMs: number
  expiry: QueuedTimer | null
}

/** What the end of a transaction changes outside of the coordinator. */
export interface TransactionEffects {
  /** Appends the marker to a partition; does nothing if the topic was deleted. */
  appendMarker(
    partition: readonly [string, number],
    marker: { readonly producerId: bigint; readonly epoch: number; readonly isCommit: boolean },
    nowMs: number,
  ): void
  commitOffsets(group: string, offsets: readonly JournalOffset[]): void
}

export interface ProducerIdAnswer {
  readonly errorCode: number
  readonly producerId: bigint
  readonly epoch: number
}

interface ProducerClaim {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly epoch: number
}

/** transaction.max.timeout.ms of Kafka. */
const TIMEOUT_MAX_MS = 900_000
const EPOCH_MAX = 32_767
const RETRY_MS = 1000
const PRODUCER_IDS_PER_ENTRY = 1000n

/**
 * Producer ids and transactions.
 *
 *     Empty ─▶ Ongoing ─▶ PrepareCommit ─▶ CompleteCommit ─▶ Ongoing …
 *                 └─────▶ PrepareAbort  ─▶ CompleteAbort  ─▶ Ongoing …
 *
 * The decision is in the journal (Prepare…) before the first marker is appended; after a crash between the two the
 * recovery appends the markers that are missing. A transaction that takes longer than its time-out is aborted, and its
 * producer is fenced by a new epoch.
 */
export class TransactionCoordinator {
  readonly #transactions = new Map<string, Transaction>()
  readonly #storage: BrokerStorage
  readonly #timers: TimerQueue
  readonly #effects: TransactionEffects
  #nextProducerId = 0n
  /** Ids below it are in the journal as given out. */
  #reservedIds = 0n

  constructor(storage: BrokerStorage, timers: TimerQueue, effects: TransactionEffects) {
    this.#storage = storage
    this.#timers = timers
    this.#effects = effects
  }

  get all(): Iterable<Transaction> {
    return this.#transactions.values()
  }

  get reservedIds(): bigint {
    return this.#reservedIds
  }

  get(transactionalId: string): Transaction | undefined {
    return this.#transactions.get(transactionalId)
  }

  newProducerId(): bigint {
    if (this.#nextProducerId >= this.#reservedIds) {
      const next = this.#nextProducerId + PRODUCER_IDS_PER_ENTRY
      this.#storage.append({ tag: 'producer ids', next: String(next) })
      this.#reservedIds = next
    }
    return this.#nextProducerId++
  }

  restoreProducerIds(next: bigint): void {
    this.#nextProducerId = next
    this.#reservedIds = next
  }

  init(claim: ProducerClaim, timeoutMs: number, nowMs: number): ProducerIdAnswer {
    if (timeoutMs <= 0 || timeoutMs > TIMEOUT_MAX_MS) return failed(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
    const known = this.#find(claim, nowMs)
    if (known === undefined) {
      const transaction = newTransaction(claim.transactionalId, this.newProducerId(), timeoutMs)
      transaction.idleSinceMs = nowMs
      this.#transactions.set(claim.transactionalId, transaction)
      this.#save(transaction)
      return succeeded(transaction)
    }
    const isClaimed = claim.producerId >= 0n
    const isSameId = claim.producerId === known.producerId
    // An id whose epochs were used up: the producer has not received its new id yet.
    const isLastOwner = claim.producerId === known.lastProducerId && known.epoch === 0
    if (isClaimed && !isSameId && !isLastOwner) return failed(ErrorCode.PRODUCER_FENCED)
    const isOwner = isSameId && claim.epoch === known.epoch
    if (known.state === 'Ongoing') {
      // As in Kafka the claim of an earlier epoch also ends the transaction, before it is refused. The owner repeats its
      // claim with the old epoch when the transaction has ended.
      known.lastEpoch = isOwner ? known.epoch : -1
      if (known.epoch < EPOCH_MAX) known.epoch++
      this.#end(known, false, nowMs)
      return failed(ErrorCode.CONCURRENT_TRANSACTIONS)
    }
    const isRepeated = isSameId && claim.epoch >= 0 && claim.epoch === known.lastEpoch
    if (isClaimed && !isOwner && !isLastOwner && !isRepeated) return failed(ErrorCode.PRODUCER_FENCED)
    known.timeoutMs = timeoutMs
    known.idleSinceMs = nowMs
    if (isClaimed && isRepeated) {
      known.state = 'Empty'
      this.#save(known)
      return succeeded(known)
    }
    known.lastEpoch = isClaimed ? known.epoch : -1
    if (known.epoch >= EPOCH_MAX - 1) {
      known.lastProducerId = known.producerId
      known.producerId = this.newProducerId()
      known.epoch = 0
    } else known.epoch++
    known.state = 'Empty'
    this.#save(known)
    return succeeded(known)
  }

  /** Adds partitions; the caller has checked that they exist. */
  addPartitions(claim: ProducerClaim, partitions: readonly (readonly [string, number])[], nowMs: number): number {
    const transaction = this.#find(claim, nowMs)
    const problem = problemOfClaim(transaction, claim)
    if (problem !== ErrorCode.NONE || transaction === undefined) return problem
    this.#begin(transaction, nowMs)
    for (const partition of partitions) transaction.partitions.set(partition.join('/'), partition)
    this.#save(transaction)
    return ErrorCode.NONE
  }

  addGroup(claim: ProducerClaim, group: string, nowMs: number): number {
    const transaction = this.#find(claim, nowMs)
    const problem = problemOfClaim(transaction, claim)
    if (problem !== ErrorCode.NONE || transaction === undefined) return problem
    this.#begin(transaction, nowMs)
    if (!transaction.groups.has(group)) transaction.groups.set(group, [])
    this.#save(transaction)
    return ErrorCode.NONE
  }

  /** Offsets that become visible when the transaction commits. */
  addOffsets(claim: ProducerClaim, group: string, offsets: readonly JournalOffset[]): number {
    const transaction = this.#transactions.get(claim.transactionalId)
    const problem = problemOfClaim(transaction, claim)
    if (problem === ErrorCode.PRODUCER_FENCED) return ErrorCode.INVALID_PRODUCER_EPOCH
    if (problem !== ErrorCode.NONE || transaction === undefined) return problem
    if (transaction.state !== 'Ongoing' || !transaction.groups.has(group)) return ErrorCode.INVALID_TXN_STATE
    const later = new Map((transaction.groups.get(group) ?? []).map((each) => [keyOf(each), each]))
    for (const offset of offsets) later.set(keyOf(offset), offset)
    transaction.groups.set(group, [...later.values()])
    this.#save(transaction)
    return ErrorCode.NONE
  }

  end(claim: ProducerClaim, isCommit: boolean, nowMs: number): number {
    const transaction = this.#find(claim, nowMs)
    const problem = problemOfClaim(transaction, claim)
    if (problem !== ErrorCode.NONE || transaction === undefined) return problem
    const wanted = isCommit ? 'CompleteCommit' : 'CompleteAbort'
    if (transaction.state === wanted) return ErrorCode.NONE
    if (transaction.state !== 'Ongoing') return ErrorCode.INVALID_TXN_STATE
    this.#end(transaction, isCommit, nowMs)
    return ErrorCode.NONE
  }

  /** Whether records of the producer for this partition belong to an open transaction; an error code if they do not. */
  check(claim: ProducerClaim, topic: string, partition: number): number {
    const transaction = this.#transactions.get(claim.transactionalId)
    if (transaction === undefined || transaction.producerId !== claim.producerId) return ErrorCode.INVALID_TXN_STATE
    if (transaction.epoch !== claim.epoch) return ErrorCode.INVALID_PRODUCER_EPOCH
    const includes = transaction.state === 'Ongoing' && transaction.partitions.has(`${topic}/${partition}`)
    return includes ? ErrorCode.NONE : ErrorCode.INVALID_TXN_STATE
  }

  /** The groups for which open transactions have offsets. */
  get groupsWithOffsets(): ReadonlySet<string> {
    const groups = [...this.#transactions.values()].flatMap((transaction) => [...transaction.groups])
    return new Set(groups.flatMap(([group, offsets]) => (offsets.length > 0 ? [group] : [])))
  }

  /** Open transactions do not commit these offsets: their group, topic or committed offset was deleted meanwhile. */
  forgetOffsets(isForgotten: (group: string, offset: JournalOffset) => boolean): void {
    for (const transaction of this.#transactions.values()) {
      const kept = new Map(
        Array.from(transaction.groups, ([group, offsets]) => [
          group,
          offsets.filter((offset) => !isForgotten(group, offset)),
        ]),
      )
      if (kept.entries().every(([group, offsets]) => offsets.length === transaction.groups.get(group)?.length)) continue
      this.#save({ ...transaction, groups: kept })
      for (const [group, offsets] of kept) transaction.groups.set(group, offsets)
    }
  }

  /** Whether a group has offsets in an open transaction for the partition. */
  hasPendingOffset(group: string, topic: string, partition: number): boolean {
    for (const { groups } of this.#transactions.values()) {
      const offsets = groups.get(group)
      if (offsets?.some((each) => each.topic === topic && each.partition === partition)) return true
    }
    return false
  }

  /** A transaction of the journal. `complete` ends those that an earlier run has decided but not ended. */
  restore(entry: JournalTransaction, nowMs: number): void {
    const transaction = newTransaction(entry.transactionalId, BigInt(entry.producerId), entry.timeoutMs)
    transaction.epoch = entry.epoch
    transaction.lastProducerId = BigInt(entry.lastProducerId)
    transaction.lastEpoch = entry.lastEpoch
    transaction.state = entry.state
    transaction.startedAtMs = entry.startedAtMs
    transaction.idleSinceMs = entry.idleSinceMs ?? nowMs
    for (const partition of entry.partitions) transaction.partitions.set(partition.join('/'), partition)
    for (const { group, offsets } of entry.groups) transaction.groups.set(group, offsets)
    this.#transactions.set(entry.transactionalId, transaction)
  }

  restoreForgotten(transactionalId: string): void {
    this.#transactions.delete(transactionalId)
  }

  /** Forgets ids without an open transaction that nobody has used since then. */
  forgetIdle(sinceMs: number): number {
    let count = 0
    for (const { transactionalId, state, idleSinceMs } of this.#transactions.values()) {
      const isEnded = state === 'Empty' || state === 'CompleteCommit' || state === 'CompleteAbort'
      if (!isEnded || idleSinceMs > sinceMs) continue
      this.#storage.append({ tag: 'transactional id forgotten', transactionalId })
      this.#transactions.delete(transactionalId)
      count += 1
    }
    return count
  }

  complete(nowMs: number): void {
    for (const transaction of this.#transactions.values()) {
      if (transaction.state === 'PrepareCommit') this.#writeEnd(transaction, true, nowMs)
      if (transaction.state === 'PrepareAbort') this.#writeEnd(transaction, false, nowMs)
      if (transaction.state === 'Ongoing') this.#arm(transaction)
    }
  }

  snapshot(): readonly JournalTransaction[] {
    return Array.from(this.#transactions.values(), entryOf)
  }

  /** The transaction; one whose markers the storage did not take is ended first. */
  #find({ transactionalId }: Pick<ProducerClaim, 'transactionalId'>, nowMs: number): Transaction | undefined {
    const transaction = this.#transactions.get(transactionalId)
    if (transaction?.state === 'PrepareCommit') this.#writeEnd(transaction, true, nowMs)
    if (transaction?.state === 'PrepareAbort') this.#writeEnd(transaction, false, nowMs)
    return transaction
  }

  #begin(transaction: Transaction, nowMs: number): void {
    if (transaction.state === 'Ongoing') return
    transaction.state = 'Ongoing'
    transaction.startedAtMs = nowMs
    this.#arm(transaction)
  }

  #arm(transaction: Transaction): void {
    const dueMs = transaction.startedAtMs + transaction.timeoutMs
    transaction.expiry = this.#timers.at(dueMs, (nowMs) => {
      if (transaction.epoch < EPOCH_MAX) transaction.epoch++
      this.#expire(transaction, nowMs)
    })
  }

  /** Readers of committed records wait for the end of the transaction, so a storage that fails is tried again. */
  #expire(transaction: Transaction, nowMs: number): void {
    try {
      if (transaction.state === 'Ongoing') this.#end(transaction, false, nowMs)
      else this.#find(transaction, nowMs)
    } catch (error) {
      transaction.expiry = this.#timers.at(nowMs + RETRY_MS, (retryMs) => this.#expire(transaction, retryMs))
      throw error
    }
  }

  #end(transaction: Transaction, isCommit: boolean, nowMs: number): void {
    transaction.expiry?.cancel()
    transaction.state = isCommit ? 'PrepareCommit' : 'PrepareAbort'
    this.#save(transaction)
    this.#writeEnd(transaction, isCommit, nowMs)
  }

  #writeEnd(transaction: Transaction, isCommit: boolean, nowMs: number): void {
    const { producerId, epoch } = transaction
    for (const partition of transaction.partitions.values()) {
      this.#effects.appendMarker(partition, { producerId, epoch, isCommit }, nowMs)
    }
    if (isCommit) for (const [group, offsets] of transaction.groups) this.#effects.commitOffsets(group, offsets)
    transaction.partitions.clear()
    transaction.groups.clear()
    transaction.state = isCommit ? 'CompleteCommit' : 'CompleteAbort'
    transaction.idleSinceMs = nowMs
    this.#save(transaction)
  }

  #save(transaction: Transaction): void {
    this.#storage.append({ tag: 'transaction', transaction: entryOf(transaction) })
  }
}

function keyOf({ topic, partition }: JournalOffset): string {
  return `${topic}/${partition}`
}

function newTransaction(transactionalId: string, producerId: bigint, timeoutMs: number): Transaction {
  return {
    transactionalId,
    producerId,
    epoch: 0,
    lastProducerId: -1n,
    lastEpoch: -1,
    timeoutMs,
    state: 'Empty',
    partitions: new Map(),
    groups: new Map(),
    startedAtMs: -1,
    idleSinceMs: -1,
    expiry: null,
  }
}

function entryOf(transaction: Transaction): JournalTransaction {
  const { transactionalId, producerId, epoch, lastProducerId, timeoutMs, state, startedAtMs, idleSinceMs } = transaction
  return {
    transactionalId,
    producerId: String(producerId),
    epoch,
    lastProducerId: String(lastProducerId),
    lastEpoch: transaction.lastEpoch,
    timeoutMs,
    state,
    partitions: [...transaction.partitions.values()],
    groups: Array.from(transaction.groups, ([group, offsets]) => ({ group, offsets })),
    startedAtMs,
    idleSinceMs,
  }
}

function problemOfClaim(transaction: Transaction | undefined, claim: ProducerClaim): number {
  if (transaction === undefined || transaction.producerId !== claim.producerId) {
    return ErrorCode.INVALID_PRODUCER_ID_MAPPING
  }
  return transaction.epoch === claim.epoch ? ErrorCode.NONE : ErrorCode.PRODUCER_FENCED
}

function succeeded({ producerId, epoch }: Transaction): ProducerIdAnswer {
  return { errorCode: ErrorCode.NONE, producerId, epoch }
}

function failed(errorCode: number): ProducerIdAnswer {
  return { errorCode, producerId: -1n, epoch: -1 }
}
