import { takesEffect } from '../flavor/takes-effect.ts'
import { TransactionName, type TransactionGtid } from '../offset/executed-gtids.ts'
import type { BinlogFile } from '../offset/binlog-file.ts'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { BesideStream } from './beside-stream.ts'

/**
 * Follows the events of one connection: the position after those that are done, and the transaction that the last GTID
 * event named. What the position becomes is computed by `StreamPosition`; it moves once an event is handled (`accept`,
 * `commit`), not before.
 */
export class BinlogCursor {
  #position: StreamPosition
  /** The file of the current event. */
  #file: BinlogFile
  #transaction: TransactionName | null = null
  /**
   * True from the start of a dump by GTIDs to its first GTID event: the server sends the head of a binlog file first,
   * and its positions lie before those that were handled.
   */
  #isCatchingUp: boolean

  readonly #beside: Pick<BesideStream, 'progress'> | null

  /**
   * @param start where the dump was asked to start
   * @param beside what changes the progress that positions contain; null: nothing
   */
  constructor(start: StreamPosition, beside: Pick<BesideStream, 'progress'> | null = null) {
    this.#beside = beside
    this.#position = start.atRestart()
    this.#file = start.restart.file
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
    return this.#transaction?.committedMicros ?? null
  }

  /**
   * False for a statement that does not change the table: `takesEffect`.
   */
  get hasEffect(): boolean {
    return takesEffect(this.#transaction?.gtid ?? null)
  }

  /** Time and origin of the event that is about to be handled. */
  observe(timestampSeconds: number, serverId: number): void {
    this.#position = this.#position.observed(timestampSeconds, serverId)
  }

  /** The following positions have this progress of the incremental snapshot. */
  takeProgress(progress: IncrementalProgress): void {
    this.#position = this.#position.withIncremental(progress)
  }

  /** A GTID event: names the transaction or statement that follows. */
  nameTransaction(gtid: TransactionGtid): void {
    this.#transaction = new TransactionName(gtid)
    this.#isCatchingUp = false
  }

  /** The position after the current event, which begins a transaction at that position, compressed or not. */
  afterBegin(position: number, isPayload: boolean): StreamPosition {
    return this.#position.afterBegin(this.#file, position, this.#transaction, isPayload)
  }

  /** The begin of a transaction is done; `position` is what `afterBegin` returned for it. */
  begin(position: StreamPosition): void {
    this.#position = position
    this.#isCatchingUp = false
  }

  /** A rotate event: the following events are in this file. Outside a transaction, nothing before it is needed again. */
  enterFile(name: string, position: number): void {
    if (name !== this.#file.name) this.#file = { name, createdSeconds: null }
    if (!this.#isCatchingUp) this.#position = this.#position.movedTo(this.#file, position)
  }

  /**
   * A format description, at the start of a file and of a dump: its time is that of the file's creation. Returns false
   * when this is not the file that was read before under the same name.
   */
  describeFile(createdSeconds: number): boolean {
    const { name, createdSeconds: before } = this.#file
    if (createdSeconds === 0 || before === createdSeconds) return true
    if (before !== null) return false
    this.#file = { name, createdSeconds }
    if (this.#position.file === name) this.#position = this.#position.inFile(this.#file)
    return true
  }

  /** The position after the current event, which begins and ends no transaction. */
  afterEvent(nextPosition: number): StreamPosition {
    if (this.#position.isInTransaction) return this.#position.afterEvent()
    return this.#isCatchingUp ? this.#position : this.#position.movedTo(this.#file, nextPosition)
  }

  /** The position after the current event, which ends the current transaction or is one by itself. */
  afterCommit(nextPosition: number): StreamPosition {
    if (this.#isCatchingUp) return this.#position
    return this.#position.afterCommit(this.#file, nextPosition, this.#transaction?.gtid ?? null)
  }

  /** An event is done; `position` is what `afterEvent` returned for it. */
  accept(position: StreamPosition): void {
    this.#position = position
  }

  /** The current transaction is done; `position` is what `afterCommit` returned for it. */
  commit(position: StreamPosition): void {
    // A row of the transaction may have been a signal.
    this.#position = this.#beside === null ? position : position.withIncremental(this.#beside.progress)
    this.#transaction = null
  }
}
