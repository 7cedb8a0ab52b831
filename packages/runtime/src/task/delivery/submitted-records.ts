import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import { arrayOfLength, assert } from '@tributary/support'

/**
 * Records that were sent and whose offsets are not committed, in the order of sending. An offset becomes committable
 * when its record and all before it are acknowledged: a stored offset never points past a record that could still be
 * lost. (Connect has a class of this name that keeps an order per source partition. One order for all partitions
 * commits later at times, never earlier.)
 *
 * Tokens are consecutive numbers. The low bits of a token are its index in the arrays, which are used as a ring.
 */
export class SubmittedRecords {
  #offsets: (SourceOffset | null)[]
  #partitions: (SourcePartition | null)[]
  #isAcked: Uint8Array
  #mask: number
  /** Token of the oldest entry, and of the next one. */
  #first = 0
  #next = 0
  readonly #committable = new Map<SourcePartition, SourceOffset>()

  /** `capacity`: at first; a power of two, so that the low bits of a token are an index. */
  constructor(capacity: number = CAPACITY) {
    assert(Number.isInteger(Math.log2(capacity)), 'the capacity is a power of two')
    this.#offsets = arrayOfLength<SourceOffset | null>(capacity).fill(null)
    this.#partitions = arrayOfLength<SourcePartition | null>(capacity).fill(null)
    this.#isAcked = new Uint8Array(capacity)
    this.#mask = capacity - 1
  }

  /** Records after the completed prefix. */
  get pending(): number {
    return this.#next - this.#first
  }

  /** Records in the completed prefix, since the start of the task. */
  get completed(): number {
    return this.#first
  }

  /** Adds a record; returns the token to acknowledge it by. */
  submit(partition: SourcePartition, offset: SourceOffset): number {
    if (this.#next - this.#first > this.#mask) this.#grow()
    const token = this.#next++
    const at = token & this.#mask
    this.#offsets[at] = offset
    this.#partitions[at] = partition
    this.#isAcked[at] = 0
    return token
  }

  /**
   * Adds an offset without a record: committable as soon as everything before it is. With nothing pending it needs no
   * entry. Consecutive progress shares one entry: while the brokers are unreachable, a source without captured changes
   * may report progress for hours.
   */
  submitProgress(partition: SourcePartition, offset: SourceOffset): void {
    if (this.pending === 0) {
      this.#committable.set(partition, offset)
      return
    }
    const last = (this.#next - 1) & this.#mask
    if (this.#isAcked[last] === 1 && this.#partitions[last] === partition) {
      this.#offsets[last] = offset
      return
    }
    this.acknowledge(this.submit(partition, offset))
  }

  /** Removes the last submitted record, which was not sent. */
  retract(token: number): void {
    assert(token === this.#next - 1, 'only the last submitted record can be retracted')
    this.#next = token
  }

  /**
   * When the change of a record was committed, in milliseconds since 1970; null when unknown. Only for a record that is
   * not acknowledged.
   */
  committedAtMs(token: number): number | null {
    const offset = this.#offsets[token & this.#mask] ?? null
    return offset === null ? null : (offset.committedAtMs ?? null)
  }

  /** Marks a record as acknowledged. Any order, each record once. */
  acknowledge(token: number): void {
    this.#mark(token)
    this.#advance()
  }

  /** `acknowledge` for the records of a batch. */
  acknowledgeAll(tokens: readonly number[]): void {
    for (const token of tokens) this.#mark(token)
    this.#advance()
  }

  #mark(token: number): void {
    // A token outside this range has the index of another record.
    assert(token >= this.#first && token < this.#next, 'a record is acknowledged once, after it was submitted')
    const at = token & this.#mask
    assert(this.#isAcked[at] === 0, 'a record is acknowledged once')
    this.#isAcked[at] = 1
  }

  /** Advances to the first unacknowledged record. Only the last offset of each source partition becomes committable. */
  #advance(): void {
    let partition: SourcePartition | null = null
    let offset: SourceOffset | null = null
    while (this.#first < this.#next && this.#isAcked[this.#first & this.#mask] === 1) {
      const at = this.#first & this.#mask
      // `submit` has set both.
      const next = this.#partitions[at] as SourcePartition
      if (partition !== null && offset !== null && next !== partition) this.#committable.set(partition, offset)
      partition = next
      offset = this.#offsets[at] as SourceOffset
      this.#offsets[at] = null
      this.#first += 1
    }
    if (partition !== null && offset !== null) this.#committable.set(partition, offset)
  }

  /** The newest committable offset of each source partition since the last call. */
  takeCommittable(): ReadonlyMap<SourcePartition, SourceOffset> {
    const taken = new Map(this.#committable)
    this.#committable.clear()
    return taken
  }

  /** Makes the offsets of a failed commit committable again, except where a newer one has replaced them. */
  restoreCommittable(offsets: ReadonlyMap<SourcePartition, SourceOffset>): void {
    for (const [partition, offset] of offsets) {
      if (!this.#committable.has(partition)) this.#committable.set(partition, offset)
    }
  }

  #grow(): void {
    const capacity = (this.#mask + 1) * 2
    const larger = new SubmittedRecords(capacity)
    for (let token = this.#first; token < this.#next; token++) {
      const from = token & this.#mask
      const to = token & larger.#mask
      larger.#offsets[to] = this.#offsets[from] ?? null
      larger.#partitions[to] = this.#partitions[from] ?? null
      larger.#isAcked[to] = this.#isAcked[from] ?? 0
    }
    this.#offsets = larger.#offsets
    this.#partitions = larger.#partitions
    this.#isAcked = larger.#isAcked
    this.#mask = larger.#mask
  }
}

/**
 * Enough for a quiet connector. Under load the arrays grow in the first poll or two; allocating that size at the start
 * would take 5 ms.
 */
const CAPACITY = 1 << 10
