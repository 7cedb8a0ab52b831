import type { PollResult, SchemaAnnouncement, SourceProgress, SourceRecord } from '@tributary/connect-api'
import { assert, type Clock } from '@tributary/support'
import type { Change, Poll, ReusedMemory } from './change.ts'
import type { StageChain } from './stage-chain.ts'

export interface PollScopeOptions {
  readonly stages: StageChain
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * The life of what one poll yields. Records may refer to memory that is reused; they are valid from here until `end`,
 * which the pipeline calls at the start of the next poll. Such memory is released only here.
 */
export class PollScope implements Poll {
  readonly records: SourceRecord[] = []
  isInTransaction = false
  readonly signal: AbortSignal
  readonly #stages: StageChain
  readonly #clock: Clock
  readonly #memory = new Set<ReusedMemory>()
  readonly #announced = new Map<string, SchemaAnnouncement>()
  #progress: SourceProgress | null = null
  #nowMicros = 0
  #isOver = false

  constructor({ stages, clock, signal }: PollScopeOptions) {
    this.#stages = stages
    this.#clock = clock
    this.signal = signal
    this.#readTime()
  }

  get nowMicros(): number {
    return this.#nowMicros
  }

  handle(change: Change): Promise<void> | null {
    return this.#stages.handle(change, this)
  }

  afterWait(): void {
    assert(!this.#isOver, 'a poll that is over has no changes')
    if (this.records.length === 0) this.#recycle()
    this.#readTime()
  }

  /** The clock would cost as much as an event, and records of the same time share more than the time. */
  #readTime(): void {
    this.#nowMicros = this.#clock.nowMicros()
    this.#stages.readTime(this)
  }

  uses(memory: ReusedMemory): void {
    assert(!this.#isOver, 'a poll that is over has no records')
    this.#memory.add(memory)
  }

  report(progress: SourceProgress): void {
    this.#progress = progress
  }

  announce(source: string, schemas: SchemaAnnouncement['schemas'] | null): void {
    // Deleted first: announcements are in the order of the last changes.
    this.#announced.delete(source)
    if (schemas !== null) this.#announced.set(source, { source, schemas })
  }

  result(hasMore: boolean): PollResult {
    const announced = this.#announced.size === 0 ? NONE : [...this.#announced.values()]
    return {
      records: this.records,
      progress: this.#progress,
      announced,
      hasMore,
      isInTransaction: this.isInTransaction,
    }
  }

  /** Nobody uses the records any more. May be called twice. */
  end(): void {
    this.#isOver = true
    this.#recycle()
    this.#memory.clear()
  }

  #recycle(): void {
    for (const memory of this.#memory) memory.recycle()
  }
}

const NONE: readonly SchemaAnnouncement[] = []
