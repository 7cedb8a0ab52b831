import type { SourceOffset, SourcePartition } from '@tributary/connect-api'

/** Records of one poll that were committed in the source at that time. */
interface CommittedPoll {
  readonly committedAtMs: number
  readonly records: number
}

/** The records sent since the previous transaction: their number, and the newest offset of each source partition. */
export class OpenTransaction {
  records = 0
  /** When its first record was sent. Monotonic, like all times here. */
  firstMs: number
  /** Since when it may be open at the broker. */
  sinceMs: number
  /** For the measurement of latencies: one entry per poll. */
  readonly polls: CommittedPoll[] = []
  readonly #earlier = new Map<SourcePartition, SourceOffset>()
  /** Most sources have one partition. */
  #partition: SourcePartition | null = null
  #offset: SourceOffset | null = null
  #recordsAtPoll = 0

  constructor(nowMs: number) {
    this.firstMs = nowMs
    this.sinceMs = nowMs
  }

  /** Whether it has neither records nor offsets. */
  get isEmpty(): boolean {
    return this.records === 0 && this.#partition === null
  }

  begin(nowMs: number): void {
    this.firstMs = nowMs
    this.sinceMs = nowMs
  }

  /** The transaction before it has ended. */
  openAt(nowMs: number): void {
    this.sinceMs = nowMs
  }

  /** Called for each record. */
  setOffset(partition: SourcePartition, offset: SourceOffset): void {
    if (partition !== this.#partition) {
      if (this.#partition !== null && this.#offset !== null) this.#earlier.set(this.#partition, this.#offset)
      this.#partition = partition
    }
    this.#offset = offset
  }

  endPoll(): void {
    const records = this.records - this.#recordsAtPoll
    this.#recordsAtPoll = this.records
    const committedAtMs = this.#offset?.committedAtMs ?? null
    if (records > 0 && committedAtMs !== null) this.polls.push({ committedAtMs, records })
  }

  offsets(): ReadonlyMap<SourcePartition, SourceOffset> {
    if (this.#partition !== null && this.#offset !== null) this.#earlier.set(this.#partition, this.#offset)
    return this.#earlier
  }
}
