import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import { assert } from '@tributary/support'

/**
 * What was handed to the producer and not yet committed, in the order of submission. An offset becomes committable only when
 * every record up to it is acknowledged: a stored offset never points past a record that could still be lost (Connect's
 * SubmittedRecords; here over all source partitions together, which is never further than there).
 *
 * Tokens are consecutive numbers; entry `token` lives at `token - first` of the arrays, which are used as a ring.
 */
export class SubmittedRecords {
  #offsets: (SourceOffset | null)[]
  #partitions: (SourcePartition | null)[]
  #isAcked: Uint8Array
  #mask: number
  /** Token of the oldest entry, and of the next one to come. */
  #first = 0
  #next = 0
  readonly #committable = new Map<SourcePartition, SourceOffset>()

  /** `capacity`: to begin with; a power of two, so that a token is turned into an index by its low bits. */
  constructor(capacity: number = CAPACITY) {
    assert(Number.isInteger(Math.log2(capacity)), 'the capacity is a power of two')
    this.#offsets = Array.from({ length: capacity }, () => null)
    this.#partitions = Array.from({ length: capacity }, () => null)
    this.#isAcked = new Uint8Array(capacity)
    this.#mask = capacity - 1
  }

  /** Records not yet part of the completed prefix. */
  get pending(): number {
    return this.#next - this.#first
  }

  /** Records that became part of the completed prefix, of all that were ever submitted. */
  get completed(): number {
    return this.#first
  }

  /** Takes a record in; gives the token to acknowledge it by. */
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
   * An offset behind which there is nothing left to send: committable as soon as everything before it is. While the brokers
   * are away a source that gives no records may go on for hours: one entry stands for all that comes together. With nothing pending
   * there is none.
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

  /** Takes the last submitted record back: it was not sent. */
  retract(token: number): void {
    assert(token === this.#next - 1, 'only the last submitted record can be taken back')
    this.#next = token
  }

  /** Takes note that a record is safe. Records may be acknowledged in any order, each once. */
  acknowledge(token: number): void {
    this.#mark(token)
    this.#advance()
  }

  /** The same for those of a batch. */
  acknowledgeAll(tokens: readonly number[]): void {
    for (const token of tokens) this.#mark(token)
    this.#advance()
  }

  #mark(token: number): void {
    // Another token would mark a place that a later record takes.
    assert(token >= this.#first && token < this.#next, 'a record is acknowledged once, after it was submitted')
    const at = token & this.#mask
    assert(this.#isAcked[at] === 0, 'a record is acknowledged once')
    this.#isAcked[at] = 1
  }

  /** Moves to the first record that is not acknowledged. Only the last offset of each source partition is written down. */
  #advance(): void {
    let partition: SourcePartition | null = null
    let offset: SourceOffset | null = null
    while (this.#first < this.#next && this.#isAcked[this.#first & this.#mask] === 1) {
      const at = this.#first & this.#mask
      // `submit` has filled both places.
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

  /** Puts offsets back whose commit failed; newer ones that have come meanwhile stand for them too. */
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

/** What a quiet connector needs. Under load the arrays grow within the first poll or two; made at that size they would cost a start 5 ms. */
const CAPACITY = 1 << 10
