import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import { RESUME_TABLE, type ResumeDecision, type ResumeInput, type ResumeState } from './resume-table.ts'

/**
 * Decides which events a new connection skips because they were handled before. Steps through `RESUME_TABLE`, which
 * explains the states.
 * Called by the reader of the events of one connection, in their order.
 */
export class ResumeSkip {
  #start: StreamPosition
  #state: ResumeState

  constructor(start: StreamPosition) {
    this.#start = start
    this.#state = start.event > 0 || start.row > 0 ? 'awaited' : 'over'
  }

  /** Where the connection before this one ended: events before it must not be handled again. */
  get start(): StreamPosition {
    return this.#start
  }

  /** The position that `handledUpTo` returns has this progress of the incremental snapshot. */
  takeProgress(progress: IncrementalProgress): void {
    this.#start = this.#start.withIncremental(progress)
  }

  /** Nothing is left to skip: no other method needs to be called. */
  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** A transaction begins. Null: it has no GTID. */
  begin(transaction: string | null): ResumeDecision {
    return this.#step(NAMED.begin[this.#compare(transaction)])
  }

  /** A statement outside a transaction. Null: it has no GTID. */
  statementAlone(transaction: string | null): ResumeDecision {
    return this.#step(NAMED.alone[this.#compare(transaction)])
  }

  /** Decides about an event of a transaction, of which `eventsDone` events came before it. */
  event(kind: 'rows' | 'otherEvent', eventsDone: number): ResumeDecision {
    return this.#step(eventsDone < this.start.event ? 'earlyEvent' : kind)
  }

  /** The transaction ends. */
  end(): void {
    this.#step('end')
  }

  /**
   * The position after everything that was handled, by this connection or before it. `current` is that of this
   * connection: while it is before the start, a connection that began there would repeat events.
   */
  handledUpTo(current: StreamPosition): StreamPosition {
    switch (this.#state) {
      case 'awaited':
        return this.start
      case 'inside':
      case 'resumed':
        return current.isEarlierInTransaction(this.start) ? this.start : current
      case 'overtaken':
      case 'over':
        return current
    }
  }

  #compare(transaction: string | null): Comparison {
    const interrupted = this.start.transaction
    if (interrupted === null || transaction === null) return 'unnamed'
    return transaction === interrupted ? 'same' : 'other'
  }

  #step(input: ResumeInput): ResumeDecision {
    const { next, decision } = RESUME_TABLE[this.#state][input]
    this.#state = next
    return decision
  }
}

type Comparison = 'same' | 'unnamed' | 'other'

const NAMED: Readonly<Record<'begin' | 'alone', Readonly<Record<Comparison, ResumeInput>>>> = {
  begin: { same: 'beginSame', unnamed: 'beginUnnamed', other: 'beginOther' },
  alone: { same: 'aloneSame', unnamed: 'aloneUnnamed', other: 'aloneOther' },
}
