/**
 * What a restart passes over: the reader starts at the begin of the transaction that was under way, and the first events of it,
 * and the first rows of the event after them, were sent already.
 */
export class ResumeSkip {
  readonly events: number
  readonly rows: number
  #events: number
  #rows: number
  #isArmed = false

  constructor(events: number, rows: number) {
    this.events = events
    this.rows = rows
    this.#events = events
    this.#rows = rows
  }

  /** What was sent already is not all behind us: the transaction has not begun, or is not that far. */
  isPassing(eventsDone: number): boolean {
    const isOver = this.#events === 0 && this.#rows === 0
    return !isOver && !(this.#isArmed && eventsDone > this.#events)
  }

  /** A transaction begins: the first one is the one that was under way. */
  begin(): void {
    this.#isArmed = this.#events > 0 || this.#rows > 0
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
