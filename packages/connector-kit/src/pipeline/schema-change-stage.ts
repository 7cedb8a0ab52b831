import type { OffsetDocument, SourceOffset, SourcePartition } from '@tributary/connect-api'
import type { Clock } from '@tributary/support'
import type { SchemaChangeRecords } from '../events/schema-change-records.ts'
import type { HistoryRecord, SchemaHistory } from '../history/schema-history.ts'
import type { ChangePosition, ChangeStage, Poll, SchemaEvent, StatementChange } from './change.ts'

export interface SchemaChangeStageOptions {
  readonly history: SchemaHistory
  /** Null: statements make no records. */
  readonly records: SchemaChangeRecords | null
  readonly partition: SourcePartition
  readonly clock: Clock
  /** The offset of a record at that position; default: the position. */
  readonly offsetOf?: (position: ChangePosition) => SourceOffset
  /** Called when the history has that many more records, of statements up to that position. */
  readonly onStored?: (position: OffsetDocument, records: number) => void
}

/**
 * Statements that change the schema go into the schema history and to the schema change topic, in this order: once the
 * promise resolves, rows under the new definition may follow.
 */
export class SchemaChangeStage implements ChangeStage {
  readonly #options: SchemaChangeStageOptions

  constructor(options: SchemaChangeStageOptions) {
    this.#options = options
  }

  statement(change: StatementChange, poll: Poll): Promise<void> | null {
    if (!change.statement.isStored) return this.#storeAndEmit(change, poll)
    this.#emit(change, poll)
    return null
  }

  async #storeAndEmit(change: StatementChange, poll: Poll): Promise<void> {
    await this.store(change.statement.events, change.position, poll.signal)
    this.#emit(change, poll)
  }

  /**
   * Appends the events to the history, for sources that store them ahead of their changes. Resolves when they are safe.
   */
  async store(events: readonly SchemaEvent[], position: ChangePosition, signal: AbortSignal): Promise<void> {
    const { history, partition, clock, onStored } = this.#options
    const document = position.toHistoryDocument?.() ?? position.toDocument()
    const stored = events.map(({ databaseName, ddl, changes }): HistoryRecord => ({
      source: partition,
      position: document,
      timestampMs: clock.now(),
      databaseName,
      ddl,
      changes,
    }))
    await history.append(stored, signal)
    onStored?.(position.toDocument(), stored.length)
  }

  #emit({ statement, position, positionBefore }: StatementChange, poll: Poll): void {
    const { records, offsetOf } = this.#options
    if (records === null) return
    const { events } = statement
    for (const [i, event] of events.entries()) {
      // Only the last record has the position after the statement: stored with an earlier one, it would lose the rest.
      const at = i === events.length - 1 ? position : positionBefore
      const offset = offsetOf?.(at) ?? at
      const { databaseName, ddl, changes } = event
      const source = statement.sourceOf(event)
      const { headers = [] } = statement
      poll.records.push(records.record({ databaseName, ddl, changes, source, offset, headers }))
    }
  }
}
