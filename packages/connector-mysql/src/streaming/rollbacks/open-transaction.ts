import { assert } from '@tributary/support'
import { connectorErrors } from '../../errors.ts'
import type { StreamPosition } from '../../offset/stream-position.ts'
import { type EventHeader, placeOf } from '../event-place.ts'
import type { LogPlace } from '../log-place.ts'
import type { RollbackFinder } from './rollback-finder.ts'
import { isUndone, type UndonePart, UndoneParts } from './undone-parts.ts'

export interface OpenTransactionOptions {
  readonly header: Pick<EventHeader, 'file' | 'position' | 'order'>
  /** Null: the server writes no rows into its binlog that were rolled back. */
  readonly finder: Pick<RollbackFinder, 'find'> | null
}

/** The records of the current poll; only their number matters. */
export interface PollRecords {
  length: number
}

interface Current {
  readonly place: LogPlace
  /** The position of the stream before its begin. */
  readonly before: StreamPosition
  /** The number of records before the begin; 0 when it was in an earlier poll. */
  recordsBefore: number
  /** Made at the first statement about savepoints: most transactions have none. */
  savepoints: Savepoints | null
  /** True: records of an earlier poll are sent, although the end of the transaction was not known. */
  isPartlySent: boolean
  /** All undone parts, once the transaction was read to its end; null before that. */
  parts: readonly UndonePart[] | null
}

interface Savepoints {
  readonly undone: UndoneParts
  /** The number of records before a savepoint of this poll, by its place in the order of the events. */
  readonly recordsBefore: Map<number, number>
}

/**
 * The current transaction of the stream, as long as a part of it may turn out to be rolled back.
 *
 * ```
 *  BEGIN  rows  SAVEPOINT s  rows  ROLLBACK TO s  rows  COMMIT
 *                            └─ dropped ─┘
 * ```
 *
 * A transaction that ends within the poll in which it began needs nothing else: the records are dropped from the poll.
 * Before a poll yields records of a transaction that is not over, `settle` reads the transaction to its end; the rows of
 * undone parts are then skipped.
 */
export class OpenTransaction {
  readonly #options: OpenTransactionOptions
  #current: Current | null = null

  constructor(options: OpenTransactionOptions) {
    this.#options = options
  }

  /** True: whether the records since `begin` are valid is not known yet. */
  isUnsettled({ length }: PollRecords): boolean {
    const current = this.#current
    if (current === null || current.parts !== null || this.#options.finder === null) return false
    return length > current.recordsBefore
  }

  /** The current rows are part of what was rolled back. */
  get isUndone(): boolean {
    const parts = this.#current?.parts ?? null
    return parts !== null && parts.length > 0 && isUndone(parts, this.#options.header.order)
  }

  begin(before: StreamPosition, records: PollRecords): void {
    this.cut(records)
    const { file, position } = this.#options.header
    this.#current = {
      place: { file, position },
      before,
      recordsBefore: records.length,
      savepoints: null,
      isPartlySent: false,
      parts: null,
    }
  }

  /** A poll ends: its records are sent. */
  endPoll(records: PollRecords): void {
    const current = this.#current
    if (current === null) return
    current.isPartlySent ||= records.length > current.recordsBefore
    current.recordsBefore = 0
    current.savepoints?.recordsBefore.clear()
  }

  /** A statement about a savepoint. */
  takeStatement(sql: string, records: PollRecords): void {
    const current = this.#current
    if (current === null) return
    const { order } = this.#options.header
    current.savepoints ??= { undone: undonePartsOf(current), recordsBefore: new Map() }
    const { undone, recordsBefore } = current.savepoints
    recordsBefore.set(order, records.length)
    const from = undone.takeStatement(sql, order)
    if (from !== null) this.#drop(current, recordsBefore.get(from), records)
  }

  /** The transaction ends with ROLLBACK. */
  rollBack(records: PollRecords): void {
    const current = this.#current
    if (current === null) return
    this.#drop(current, current.isPartlySent ? undefined : current.recordsBefore, records)
  }

  end(): void {
    this.#current = null
  }

  /** The binlog continues without the end of the transaction: the server crashed while it wrote it. */
  cut(records: PollRecords): void {
    if (this.#current === null) return
    this.rollBack(records)
    this.end()
  }

  /**
   * Reads the transaction to its end, and drops the records that are in a part that was rolled back.
   *
   * @throws as `RollbackFinder.find`
   */
  async settle(identity: string | null, records: PollRecords, signal: AbortSignal): Promise<void> {
    const current = this.#current
    const { finder, header } = this.#options
    assert(current !== null && finder !== null, 'only an unsettled transaction is settled')
    current.parts = await finder.find(current.place, identity, signal)
    const open = current.parts.find(({ from, until }) => from <= header.order && header.order < until)
    if (open === undefined) return
    const isWhole = open.from === current.place.position
    // A savepoint of an earlier poll has no records before it in this one.
    records.length = isWhole ? current.recordsBefore : (current.savepoints?.recordsBefore.get(open.from) ?? 0)
  }

  /** Drops the records of the unsettled transaction. Returns the position from which to read it again. */
  abandon(records: PollRecords): StreamPosition {
    const current = this.#current
    assert(current !== null, 'only an unsettled transaction is abandoned')
    records.length = current.recordsBefore
    return current.before
  }

  /** @param before number of records before the part; undefined: it begins in an earlier poll */
  #drop(current: Current, before: number | undefined, records: PollRecords): void {
    if (current.parts !== null) return
    if (before === undefined && current.isPartlySent) throw this.#sent(current)
    records.length = before ?? 0
  }

  #sent({ place }: Current): Error {
    return connectorErrors.ROLLBACK_UNCLEAR({
      position: placeOf(this.#options.header),
      reason: `events of the transaction, which begins at ${placeOf(place)}, were sent before that was known`,
    })
  }
}

function undonePartsOf({ place: { file, position } }: Current): UndoneParts {
  return new UndoneParts(position, (at) => placeOf({ file, position: at }))
}
