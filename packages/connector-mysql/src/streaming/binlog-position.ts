import { type ExecutedGtids, TransactionName, type TransactionGtid } from '../flavor/executed-gtids.ts'
import { MySqlOffset, type OffsetOrigin, type RestartPoint, type StoredPosition } from '../offset/mysql-offset.ts'

/**
 * Keeps track of where in the binlog the reader stands, in the terms of an offset: the point to start again from, and how much
 * behind it is done.
 *
 * ```
 *  restart point ─▶ BEGIN · TABLE_MAP · ROWS(row, row, row) · … · XID ─▶ next restart point
 *  event                1        2        (row 1 … 3)
 * ```
 */
export class BinlogPosition {
  #restart: RestartPoint
  /** Executed before the transaction under way; null without GTIDs. */
  #executed: ExecutedGtids | null
  /** The transaction or statement under way. */
  #name: TransactionName | null = null
  #event = 0
  #isInTransaction = false
  /**
   * A dump by GTIDs begins at the start of a file, before what is known to be done: until the first new transaction the files
   * and places that it names say nothing.
   */
  #isCatchingUp: boolean
  #origin: OffsetOrigin

  /** `executed`: the GTID set of the start, parsed; null without GTIDs. */
  constructor(start: StoredPosition, executed: ExecutedGtids | null) {
    this.#executed = executed
    this.#restart = { file: start.file, position: start.position, gtids: executed, transaction: null }
    this.#isCatchingUp = executed !== null
    const { timestampSeconds, serverId, recordFormat, serverIdentity } = start
    this.#origin = { timestampSeconds, serverId, isSnapshot: false, recordFormat, serverIdentity }
  }

  get gtid(): string | null {
    return this.#name === null ? null : this.#name.toString()
  }

  /** When the transaction was committed on its first server, in microseconds since 1970; null when that is not known. */
  get commitMicros(): number | null {
    const gtid = this.#name?.gtid
    return gtid?.tag === 'gtid' ? gtid.originalCommitMicros : null
  }

  get isInTransaction(): boolean {
    return this.#isInTransaction
  }

  /** Events of the transaction under way that are done. */
  get eventsDone(): number {
    return this.#event
  }

  /** Time and origin of the event under way; events that the server makes up for us have no time. */
  observe(timestampSeconds: number, serverId: number): void {
    const origin = this.#origin
    if (timestampSeconds === 0 || (timestampSeconds === origin.timestampSeconds && serverId === origin.serverId)) return
    this.#origin = { ...origin, timestampSeconds, serverId }
  }

  /** A GTID event: names the transaction or statement that follows. */
  nameTransaction(gtid: TransactionGtid): void {
    this.#name = new TransactionName(gtid)
    this.#isCatchingUp = false
  }

  /** The event at that place begins a transaction. */
  begin(file: string, position: number): void {
    this.#restart = { file, position, gtids: this.#executed, transaction: this.#name }
    this.#event = 0
    this.#isInTransaction = true
    this.#isCatchingUp = false
  }

  /** An event inside a transaction is done. Outside of one, the next restart point is behind it. */
  completeEvent(file: string, nextPosition: number): void {
    if (this.#isInTransaction) this.#event += 1
    else this.moveTo(file, nextPosition)
  }

  /** The transaction or statement under way is over. */
  commit(file: string, nextPosition: number): void {
    this.#executed = this.#executedAfter()
    this.#name = null
    this.#isInTransaction = false
    this.moveTo(file, nextPosition)
  }

  #executedAfter(): ExecutedGtids | null {
    return this.#name === null || this.#executed === null ? this.#executed : this.#executed.with(this.#name.gtid)
  }

  /** Outside a transaction: nothing before this place is needed again. */
  moveTo(file: string, position: number): void {
    this.#event = 0
    if (!this.#isCatchingUp) this.#restart = { file, position, gtids: this.#executed, transaction: null }
  }

  /** Position after that many rows of the event under way. */
  offset(row: number): MySqlOffset {
    return new MySqlOffset(this.#restart, this.#origin, this.#event, row)
  }

  /** The position that `commit` or `completeEvent` will lead to: what a statement is recorded with before it is done. */
  offsetBehind(file: string, nextPosition: number): MySqlOffset {
    if (this.#isInTransaction) return new MySqlOffset(this.#restart, this.#origin, this.#event + 1)
    return new MySqlOffset(
      { file, position: nextPosition, gtids: this.#executedAfter(), transaction: null },
      this.#origin,
    )
  }
}
