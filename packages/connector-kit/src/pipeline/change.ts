import type {
  Header,
  OffsetDocument,
  SchemaAnnouncement,
  SourceOffset,
  SourceProgress,
  SourceRecord,
  Struct,
} from '@tributary/connect-api'
import type { DataChangeRecords } from '../events/data-change-records.ts'
import type { TableChange } from '../relational/table-change.ts'
import type { TableId } from '../relational/table-id.ts'

/*
 * The pipeline of a connector
 *
 *                    side sources (signals, chunks of an incremental snapshot): asked at the start of each poll
 *                         │ changes
 *   snapshot ─▶ stream ───┴──▶ Poll.handle(change) ──▶ stage ─▶ stage ─▶ … ──▶ records, progress
 *   (sources, one after        one call per event,     rows → records
 *    the other)                in order                statement → schema history, schema change records
 *                                                      progress → stored offset
 *
 * A source reads a database and hands over tagged changes. It owns its connections, knows when to connect again, and
 * resolves what only it can: which table the bytes of a row belong to, what a statement does to the table model. A
 * change carries the position after it. Stages turn changes into records. They know no database.
 *
 * Contract
 * - One loop calls `ChangePipeline.poll`. A source hands over a change only when the one before it has been handled:
 *   `handle` returns null when that is done, else a promise to wait for. So the hot path, rows of a stream, makes no
 *   promise.
 * - A change whose handling throws is not handled. The source decides: it hands over the change again (after a
 *   retriable error, on a new connection), leaves it out, or fails. So it moves its own position only after `handle`.
 * - `begin` and `end` enclose the changes of a transaction. A `statement` with `isAlone` is a transaction by itself. A
 *   source whose rows belong to no transaction (a snapshot) hands over neither.
 * - Records live until the next poll: their values may refer to memory that the source reuses. `PollScope` alone
 *   recycles that memory.
 * - Time reaches stages through `time`, at the start of each poll and after each wait within it, also when no change
 *   arrives.
 *
 * Later features have a place here: a side source with a stage that sees the rows before they become records
 * (incremental snapshots, signals).
 */

/** A position as the pipeline needs it; only its connector looks into it. */
export interface ChangePosition extends SourceOffset {
  /** False when a reader that starts at one would meet other changes than one that starts at the other. */
  isSamePlace(other: ChangePosition): boolean
  /** The position for a record of the schema history; default: the whole offset. */
  toHistoryDocument?(): OffsetDocument
}

/** The rows of one table that one event changed, or a run of rows that a snapshot read. */
export interface ChangedRows {
  readonly table: TableId
  /** Appends the records of the rows in their order. Called once, before the next change is handed over. */
  produce(records: DataChangeRecords, out: SourceRecord[]): void
}

/** What a statement did to the tables of one database. */
export interface SchemaEvent {
  /** Empty: the statement concerns no database. */
  readonly databaseName: string
  readonly ddl: string
  readonly changes: readonly TableChange[]
}

/** A statement that the table model contains already. */
export interface SchemaStatement {
  /** At least one. */
  readonly events: readonly SchemaEvent[]
  /** True: the schema history has it too. */
  readonly isStored: boolean
  /** The source block of its records. */
  sourceOf(event: SchemaEvent): Struct
  /** Added to those of every record; absent: none. */
  readonly headers?: readonly Header[]
}

/** Printed when its name is needed. */
export interface TransactionIdentity {
  /** When it was committed, in microseconds since 1970; absent or null: unknown. */
  readonly committedMicros?: number | null
  toString(): string
}

export interface BeginChange {
  readonly tag: 'begin'
  /** How the database names the transaction; null when it does not. */
  readonly transaction: TransactionIdentity | null
  readonly position: ChangePosition
}

export interface RowsChange {
  readonly tag: 'rows'
  readonly rows: ChangedRows
  readonly position: ChangePosition
}

export interface StatementChange {
  readonly tag: 'statement'
  readonly statement: SchemaStatement
  /** True: it is a transaction by itself. */
  readonly isAlone: boolean
  readonly positionBefore: ChangePosition
  readonly position: ChangePosition
}

export interface EndChange {
  readonly tag: 'end'
  readonly position: ChangePosition
}

/** Everything before the position has been handed over. At most one per poll is of use: the last. */
export interface ProgressChange {
  readonly tag: 'progress'
  readonly position: ChangePosition
  /** Reading the changes before it again is expensive: store the position as soon as possible. */
  readonly isMilestone: boolean
}

export type Change = BeginChange | RowsChange | StatementChange | EndChange | ProgressChange

/** Memory that values of records refer to, and that is used again for those of the next poll. */
export interface ReusedMemory {
  /** Called when no record refers to it any more. */
  recycle(): void
}

/** One poll, from the side of sources and stages. Of no use when the poll is over. */
export interface Poll {
  /** Fires when the task stops. */
  readonly signal: AbortSignal
  /** The records so far. Stages append to them; a source may drop those of a change whose handling threw. */
  readonly records: SourceRecord[]
  /** Set by a source that ends a poll in the middle of a transaction. False at first. */
  isInTransaction: boolean
  /** When the current changes are handled, in microseconds since 1970: read once for many of them. */
  readonly nowMicros: number
  /** Runs the change through the stages. Null: it is handled; else it is once the promise resolves. */
  handle(change: Change): Promise<void> | null
  /**
   * To be called after each wait, before the next change: reads the time, and releases memory when there are no
   * records yet.
   */
  afterWait(): void
  /** Registers memory that records of this poll refer to. It is recycled when the poll is over. */
  uses(memory: ReusedMemory): void
  /** Sets the progress that the result of the poll reports in addition to its records. */
  report(progress: SourceProgress): void
  /**
   * Later rows of a table have new schemas; null when the table no longer exists. Of several announcements for a table
   * the last one counts.
   */
  announce(source: string, schemas: SchemaAnnouncement['schemas'] | null): void
}

/**
 * `more`: the next poll yields records at once. `idle`: nothing has arrived for a while. `over`: the source has no more
 * changes.
 */
export type SourceState = 'more' | 'idle' | 'over'

/** Reads a database: its tables as they are, or the log of their changes. */
export interface ChangeSource {
  /**
   * Hands over the changes that have arrived, up to a batch; waits a while when there are none. Rejects with
   * StoppedError soon after the poll's signal fires. Not called again after `over`, nor after it threw.
   */
  poll(poll: Poll): Promise<SourceState>
  /** Closes its connections. May be called at any time between polls. */
  close(): Promise<void>
}

/** Hands over changes of its own between those of the current source. */
export interface SideSource {
  /**
   * Called at the start of each poll, before the current source, which may be in the middle of a transaction. `alone`:
   * the current source waits, and is not called in this poll. Null: it has nothing to do.
   */
  poll(poll: Poll, isInTransaction: boolean): Promise<'alone' | void> | null
}

/**
 * Handles changes. It has a method for each tag that concerns it, and is not called for others: so a stage costs
 * nothing for events that it does not look at. A method returns null, or a promise when it has to wait; the next stage
 * is called after that.
 */
export interface ChangeStage {
  begin?(change: BeginChange, poll: Poll): Promise<void> | null
  rows?(change: RowsChange, poll: Poll): Promise<void> | null
  statement?(change: StatementChange, poll: Poll): Promise<void> | null
  end?(change: EndChange, poll: Poll): Promise<void> | null
  progress?(change: ProgressChange, poll: Poll): Promise<void> | null
  /** The time has been read: at the start of a poll, and after each wait. */
  time?(poll: Poll): void
}
