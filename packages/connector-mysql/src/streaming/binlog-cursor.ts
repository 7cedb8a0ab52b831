import { TransactionName, type TransactionGtid } from '../offset/executed-gtids.ts'
import type { StreamPosition } from '../offset/stream-position.ts'

/**
 * Follows the events of one connection: the position after those that are done, and the transaction that the last GTID event named.
 * Its methods are called once an event is done; what the position becomes is computed by `StreamPosition`.
 */
export class BinlogCursor {
  #position: StreamPosition
  #transaction: TransactionName | null = null
  /**
   * A dump by GTIDs starts at the begin of a file, before what is known to be done: until the first new transaction, the files and
   * places that it names mean nothing.
   */
  #isCatchingUp: boolean

  /** `start`: where the dump was asked to start. */
  constructor(start: StreamPosition) {
    this.#position = start.atRestart()
    this.#isCatchingUp = start.restart.gtids !== null
  }

  get position(): StreamPosition {
    return this.#position
  }

  /** The current transaction or statement by its GTID; null without one. */
  get transaction(): TransactionName | null {
    return this.#transaction
  }

  /** When the transaction was committed on its first server, in microseconds since 1970; null when unknown. */
  get commitMicros(): number | null {
    const gtid = this.#transaction?.gtid
    return gtid?.tag === 'gtid' ? gtid.originalCommitMicros : null
  }

  /** Time and origin of the event that is about to be handled. */
  observe(timestampSeconds: number, serverId: number): void {
    this.#position = this.#position.observed(timestampSeconds, serverId)
  }

  /** A GTID event: names the transaction or statement that follows. */
  nameTransaction(gtid: TransactionGtid): void {
    this.#transaction = new TransactionName(gtid)
    this.#isCatchingUp = false
  }

  /** The event at that place began a transaction. */
  begin(file: string, position: number): void {
    this.#position = this.#position.afterBegin(file, position, this.#transaction)
    this.#isCatchingUp = false
  }

  /** An event is done that begins and ends no transaction. */
  completeEvent(file: string, nextPosition: number): void {
    if (this.#position.isInTransaction) this.#position = this.#position.afterEvent()
    else this.moveTo(file, nextPosition)
  }

  /** The current transaction or statement is over. */
  commit(file: string, nextPosition: number): void {
    if (!this.#isCatchingUp) this.#position = this.#afterCommit(file, nextPosition)
    this.#transaction = null
  }

  #afterCommit(file: string, nextPosition: number): StreamPosition {
    return this.#position.afterCommit(file, nextPosition, this.#transaction?.gtid ?? null)
  }

  /** Outside a transaction: nothing before this place is needed again. */
  moveTo(file: string, position: number): void {
    if (!this.#isCatchingUp) this.#position = this.#position.movedTo(file, position)
  }

  /** The position that `commit` or `completeEvent` will lead to: a statement is recorded with it before it is done. */
  afterStatement(file: string, nextPosition: number): StreamPosition {
    return this.#position.isInTransaction ? this.#position.afterEvent() : this.#afterCommit(file, nextPosition)
  }
}
