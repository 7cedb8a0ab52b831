import type { TableId } from '@tributary/connector-kit'
import type { RowsEvent } from '@tributary/mysql'
import type { LogPlace } from '../log-place.ts'
import type { UndonePart } from '../rollbacks/undone-parts.ts'
import type { RowProof } from '../rows-ahead.ts'

/** A rows event of a transaction that is prepared. */
export interface PreparedRows {
  /** Refers to bytes of its own. */
  readonly event: RowsEvent
  /** The events of the transaction before it, its begin included. */
  readonly eventsBefore: number
  readonly proof: RowProof
  /** The statement that they are of; null when it is not asked for, or not in the binlog. */
  readonly query: string | null
}

/** An XA transaction between XA PREPARE and XA COMMIT: its rows are in the binlog, and may still be rolled back. */
export interface PreparedTransaction {
  /** Where it begins in the binlog of the current server: a dump may start there. */
  readonly from: LogPlace
  /** Where it ends. */
  readonly until: LogPlace
  /** Parts that were rolled back to a savepoint. */
  readonly undone: readonly UndonePart[]
  /** Rows of captured tables, without those parts. Null: they are not kept in memory, but read from the binlog again. */
  readonly rows: readonly PreparedRows[] | null
  /** Whether the definition of a table may have changed since. */
  readonly hasChanged: (id: TableId) => boolean
}
