import type {
  Poll,
  RecordFormat,
  SchemaChangeStage,
  SchemaEvent,
  SchemaStatement,
  TableId,
} from '@tributary/connector-kit'
import { StoppedError, withTimeout, type Clock } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { tableNames } from '../schema/schema-change.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { StructureStatement } from './snapshot-structure.ts'

export interface StructureHistoryOptions {
  readonly interpreter: DdlInterpreter
  readonly schemaChanges: SchemaChangeStage
  readonly format: RecordFormat<SourceInfo>
  /** False: the snapshot ends with its structure, as without captured tables. */
  readonly readsRows: boolean
  /** Records of a poll. */
  readonly batchRowsMax: number
  readonly clock: Clock
}

/** Takes over the structure that was read: into the table model, the schema history, and the pipeline. */
export class StructureHistory {
  readonly #options: StructureHistoryOptions
  /** Not handed over yet. Tens of thousands for a large database. */
  #pending: readonly SchemaEvent[] = []
  /** The event that is marked as the last one of the snapshot; null: rows follow. */
  #last: SchemaEvent | null = null

  constructor(options: StructureHistoryOptions) {
    this.#options = options
  }

  /**
   * Builds the table model of the statements and stores them in the history, at that position.
   *
   * @param isLeftOut names tables whose definitions in these statements are not those of the position; they are unknown
   * @throws DDL_SYNTAX
   */
  async persist(
    structure: readonly StructureStatement[],
    position: StreamPosition,
    signal: AbortSignal,
    isLeftOut: (id: TableId) => boolean = () => false,
  ): Promise<void> {
    const events = structureEvents(this.#options.interpreter, structure, isLeftOut)
    await this.persistEvents(events, position, signal)
  }

  /** Stores events that the table model contains already. */
  async persistEvents(events: readonly SchemaEvent[], position: StreamPosition, signal: AbortSignal): Promise<void> {
    for (let from = 0; from < events.length; from += HISTORY_BATCH_RECORDS) {
      await this.#store(events.slice(from, from + HISTORY_BATCH_RECORDS), position, signal)
    }
    this.#pending = events
    // Without rows, Debezium marks the last definition of a table.
    if (!this.#options.readsRows) this.#last = events.findLast(({ changes }) => changes.length > 0) ?? null
  }

  /** Writes to the database wait for this: a broker that does not answer must not block them for long. */
  async #store(events: readonly SchemaEvent[], position: StreamPosition, signal: AbortSignal): Promise<void> {
    const { schemaChanges, clock } = this.#options
    const store = (limit: AbortSignal): Promise<void> => schemaChanges.store(events, position, limit)
    try {
      await withTimeout(clock, HISTORY_LIMIT_MS, store, signal)
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      throw connectorErrors.SNAPSHOT_HISTORY_LATE({ seconds: HISTORY_LIMIT_MS / 1000 }, error)
    }
  }

  /**
   * Hands over the next statements, a batch: records of 10,000 tables would take more than 100 MB together. Returns how
   * many; 0 when all have been handed over.
   */
  async handOver(position: StreamPosition, poll: Poll): Promise<number> {
    const batch = this.#pending.slice(0, this.#options.batchRowsMax)
    for (const event of batch) {
      const statement: SchemaStatement = {
        events: [event],
        isStored: true,
        sourceOf: () => this.#sourceOf(event, position, poll),
      }
      await poll.handle({ tag: 'statement', statement, isAlone: false, positionBefore: position, position })
    }
    this.#pending = this.#pending.slice(batch.length)
    return batch.length
  }

  /** Whether all statements have been handed over. */
  get isHandedOver(): boolean {
    return this.#pending.length === 0
  }

  #sourceOf(event: SchemaEvent, position: StreamPosition, poll: Poll): ReturnType<RecordFormat<SourceInfo>['source']> {
    return this.#options.format.source({
      timestampSeconds: position.timestampSeconds,
      timestampMicros: poll.nowMicros,
      serverId: 0,
      gtid: null,
      file: position.file,
      position: position.position,
      row: 0,
      snapshot: event === this.#last ? 'last' : 'true',
      threadId: null,
      query: null,
      database: event.databaseName,
      table: tableNames([event]),
    })
  }
}

/**
 * Builds the table model of the statements.
 *
 * @param isLeftOut as for `StructureHistory.persist`
 * @throws DDL_SYNTAX
 */
export function structureEvents(
  interpreter: DdlInterpreter,
  structure: readonly StructureStatement[],
  isLeftOut: (id: TableId) => boolean = () => false,
): readonly SchemaEvent[] {
  const events: SchemaEvent[] = []
  for (const { database, sql } of structure) {
    const outcome = interpreter.interpret(sql, { database, isPrinted: true, isReadFromServer: true })
    if (outcome.error !== null) {
      if (outcome.needsSchema.some(({ id }) => isLeftOut(id))) continue
      throw outcome.error
    }
    // Only these members: the others would double the memory.
    for (const { databaseName, ddl, changes } of outcome.events) {
      const [unknown] = changes.filter(({ type, id }) => type === 'CREATE' && isLeftOut(id))
      if (unknown === undefined) events.push({ databaseName, ddl, changes })
      else interpreter.forget(unknown.id)
    }
  }
  return events
}

/** As long as writes to the database may wait for the next batch of the schema history. */
const HISTORY_LIMIT_MS = 30_000
/**
 * A second of work at most, with ten columns a table on a slow machine: a limit for all tables would limit their
 * number.
 */
const HISTORY_BATCH_RECORDS = 1_000
