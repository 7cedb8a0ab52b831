import type { BinlogEvent, BinlogReader } from '@tributary/mysql'
import { type TableId, TableId as TableIds } from '@tributary/connector-kit'
import { type AheadRange, type BinlogAheadOptions, readAhead } from './binlog-ahead.ts'

/** A row event, as evidence for the definition of its table. */
export interface RowProof {
  /** The number of the table in the event: each statement that alters the table changes it, logged or not. */
  readonly tableId: number
  readonly timestampSeconds: number
}

/** The last rows that were written under the definition of a row event. */
export interface LastRows {
  readonly timestampSeconds: number
  /** True: rows with another number follow, so the table may have been changed. */
  readonly isSuperseded: boolean
}

/**
 * Looks for later rows of a table in the binlog, which prove that its definition had not changed until then. `unread`: there
 * was no time to read all of the range.
 */
export class RowsAhead {
  readonly #options: BinlogAheadOptions

  constructor(options: BinlogAheadOptions) {
    this.#options = options
  }

  /** The number under which the table has its next rows; null when the range has none. */
  async nextNumber(id: TableId, range: AheadRange, signal: AbortSignal): Promise<number | null | 'unread'> {
    let number: number | null = null
    const onEvent = (event: BinlogEvent, reader: BinlogReader): boolean => {
      if (event.tag !== 'rows' || TableIds.of(event.table.database, event.table.table) !== id) return true
      number = reader.tableId
      return false
    }
    const reached = await readAhead(this.#options, range, onEvent, signal)
    return reached === null ? number : 'unread'
  }

  /** Whether the table has rows under another number in the range, or the server was started, which numbers anew. */
  async isRenumbered(
    id: TableId,
    range: AheadRange,
    tableId: number,
    signal: AbortSignal,
  ): Promise<boolean | 'unread'> {
    let isRenumbered = false
    const onEvent = (event: BinlogEvent, reader: BinlogReader): boolean => {
      if (event.tag === 'formatDescription') isRenumbered = event.isServerStart && reader.file !== range.from.file
      else if (event.tag === 'rows' && TableIds.of(event.table.database, event.table.table) === id)
        isRenumbered = reader.tableId !== tableId
      return !isRenumbered
    }
    const reached = await readAhead(this.#options, range, onEvent, signal)
    return reached === null ? isRenumbered : 'unread'
  }

  async lastOfSameVersion(
    id: TableId,
    range: AheadRange,
    proof: RowProof,
    signal: AbortSignal,
  ): Promise<LastRows | 'unread'> {
    let { timestampSeconds } = proof
    let hasBegun = false
    let isSuperseded = false
    const reached = await readAhead(
      this.#options,
      range,
      (event, reader) => {
        // A server that starts again begins a file, and numbers its tables anew.
        if (hasBegun && reader.file !== range.from.file) isSuperseded = true
        if (event.tag !== 'rows' || TableIds.of(event.table.database, event.table.table) !== id) return
        if (reader.tableId === proof.tableId && !isSuperseded) {
          hasBegun = true
          timestampSeconds = Math.max(timestampSeconds, reader.timestampSeconds)
        } else if (hasBegun) isSuperseded = true
      },
      signal,
    )
    return reached === null ? { timestampSeconds, isSuperseded } : 'unread'
  }
}
