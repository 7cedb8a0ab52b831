/** What had been handled of the transaction under way, when the connection before this one ended. */
export interface ResumePoint {
  readonly event: number
  readonly row: number
  /** The transaction that they count in; null: not known. */
  readonly transaction: string | null
}

/**
 * What a restart passes over: the reader starts at the begin of the transaction that was under way, and the first events of it,
 * and the first rows of the event after them, were sent already.
 *
 * They are counted in that transaction only. A server that took over without it begins with another one, nothing of which was sent.
 */
export class ResumeSkip {
  readonly events: number
  readonly rows: number
  readonly #transaction: string | null
  #events: number
  #rows: number
  #isArmed = false
  /** The transaction is not the next one. */
  #isElsewhere = false

  constructor({ event, row, transaction }: ResumePoint) {
    this.events = event
    this.rows = row
    this.#events = event
    this.#rows = row
    this.#transaction = transaction
  }

  /** There is something to pass over yet. */
  get hasLeft(): boolean {
    return this.#events > 0 || this.#rows > 0
  }

  /** What was sent already is not all behind us: the transaction has not begun, or is not that far. */
  isPassing(eventsDone: number): boolean {
    const isOver = !this.hasLeft || this.#isElsewhere
    return !isOver && !(this.#isArmed && eventsDone > this.#events)
  }

  /** A transaction begins: the first one is the one that was under way, unless its GTID says otherwise. Null: it has none. */
  begin(transaction: string | null): void {
    this.#isArmed = this.hasLeft && !this.#isOther(transaction)
  }

  /** Is a transaction, or a statement on its own, the first that is not the one that was under way? True once. */
  isFirstOther(transaction: string | null): boolean {
    if (this.#isElsewhere || !this.#isOther(transaction)) return false
    this.#isElsewhere = true
    return true
  }

  #isOther(transaction: string | null): boolean {
    return this.#transaction !== null && transaction !== null && transaction !== this.#transaction
  }

  /** The transaction is over; nothing is passed over in the next. */
  end(): void {
    if (!this.#isArmed) return
    this.#isArmed = false
    this.#events = 0
    this.#rows = 0
  }

  /** Was the event after `eventsDone` events of the transaction handled already? */
  skipsEvent(eventsDone: number): boolean {
    return this.#isArmed && eventsDone < this.#events
  }

  /** Rows of this event that were sent already; the answer is given once. */
  takeRows(): number {
    if (!this.#isArmed) return 0
    const rows = this.#rows
    this.#rows = 0
    return rows
  }
}
