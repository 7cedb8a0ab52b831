import type { RecordSchemas, SchemaAnnouncement, SourcePartition, SourceRecord } from '@tributary/connect-api'
import type {
  HistoryRecord,
  RecordFormat,
  SchemaChangeRecords,
  SchemaHistory,
  TableChange,
  TableId,
} from '@tributary/connector-kit'
import { type QueryEvent, sqlModeOptions } from '@tributary/mysql'
import type { Clock, Logger } from '@tributary/support'
import type { TableFilter } from '../config/table-filter.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { type DdlOutcome, type SchemaChange, tableNames } from '../schema/schema-change.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import type { SchemaReader } from '../tables/schema-reader.ts'
import { captureChanges } from './capture-changes.ts'

export interface DdlHandlerOptions {
  readonly interpreter: DdlInterpreter
  readonly filter: TableFilter
  /** Makes the schemas of rows to come. */
  readonly compiler: TableCompiler
  readonly history: SchemaHistory
  /** Null: `include.schema.changes` is off. */
  readonly records: SchemaChangeRecords | null
  readonly format: RecordFormat<SourceInfo>
  readonly reader: SchemaReader
  readonly partition: SourcePartition
  readonly clock: Clock
  readonly logger: Logger
}

/** What a statement is handled with. */
export interface DdlContext {
  readonly info: Omit<SourceInfo, 'database' | 'table'>
  /** Position before the statement. */
  readonly offsetBefore: StreamPosition
  /** Position after the statement. */
  readonly offset: StreamPosition
}

/**
 * Handles the statements of the binlog that change the schema: applies them to the table model, stores them in the history, and
 * tells them to the schema change topic. When `handle` resolves the history has them: rows under the new definition may follow.
 */
export class DdlHandler {
  readonly #options: DdlHandlerOptions
  /** By table: of several changes the last one counts. */
  readonly #announced = new Map<string, SchemaAnnouncement>()

  constructor(options: DdlHandlerOptions) {
    this.#options = options
  }

  async handle(query: QueryEvent, context: DdlContext, out: SourceRecord[], signal?: AbortSignal): Promise<DdlOutcome> {
    const { interpreter, logger } = this.#options
    const outcome = interpreter.interpret(query.sql, {
      database: query.database === '' ? null : query.database,
      ...(query.sqlMode === null ? {} : sqlModeOptions(query.sqlMode)),
    })
    if (outcome.error !== null) {
      const place = `${context.info.file}:${context.info.position}`
      logger.warn(
        `A statement at ${place} is not understood; the tables that it names are read again from the server`,
        {
          statement: query.sql.slice(0, 500),
          reason: outcome.error.message,
        },
      )
    }
    const learned = await this.#learn(outcome, signal)
    const events = withLearned(outcome.events, learned)
    await this.#tell(events, context, out, signal)
    for (const { changes } of events) for (const change of changes) this.#announce(change)
    // What is not understood may name several tables for other reasons.
    if (outcome.error === null) this.#sayWhoseCaptureChanges(events)
    return outcome
  }

  /** Schemas of the rows to come of tables that were changed since this was called last. */
  takeAnnounced(): readonly SchemaAnnouncement[] {
    if (this.#announced.size === 0) return NONE
    const announced = [...this.#announced.values()]
    this.#announced.clear()
    return announced
  }

  #announce({ id, previousId, table }: TableChange): void {
    const { filter, compiler } = this.#options
    if (previousId !== null) this.#announced.delete(previousId.toString())
    const source = id.toString()
    this.#announced.delete(source)
    if (table === null || !filter.includesTable(table.id)) return
    const schemas = (): RecordSchemas => {
      const { topic, keySchema, envelopeSchema } = compiler.compile(table).schema
      return { topic, keySchema, valueSchema: envelopeSchema }
    }
    this.#announced.set(source, { source, schemas })
  }

  /** Nothing else would tell why a topic has no events any more, or why it begins in the middle of a table's life. */
  #sayWhoseCaptureChanges(events: readonly SchemaChange[]): void {
    const { filter, logger } = this.#options
    for (const { from, to, isCaptured } of captureChanges(events, filter)) {
      const renamed = `${from.toString()} was renamed to ${to.toString()}`
      if (isCaptured) {
        logger.info(
          `${renamed}, which the include and exclude lists have: changes of its rows are captured from here on, its rows of before are not`,
        )
      } else {
        logger.warn(
          `${renamed}, which the include and exclude lists leave out: changes of its rows are not captured any more. If that is not meant, let the lists have the new name; rows that change until then need a new snapshot`,
        )
      }
    }
  }

  /** Reads the tables whose definitions do not follow from the statement; those that are not captured can stay unknown. */
  async #learn(outcome: DdlOutcome, signal: AbortSignal | undefined): Promise<readonly TableChange[]> {
    const { filter, interpreter, reader, logger } = this.#options
    const learned: TableChange[] = []
    for (const { id, reason } of outcome.needsSchema) {
      if (!filter.includesTable(id)) continue
      logger.info(`Reading the definition of ${id.toString()} from the server: ${reason}`)
      const change = interpreter.adopt(id, await reader.createStatement(id, signal))
      if (change !== null) learned.push(change)
    }
    return learned
  }

  /** A definition that was read because the binlog names a table that the model does not have, or has otherwise. */
  async relearn(id: TableId, reason: string, context: DdlContext, signal?: AbortSignal): Promise<TableChange | null> {
    const { interpreter, reader, logger } = this.#options
    logger.warn(`Reading the definition of ${id.toString()} from the server: ${reason}`)
    const createSql = await reader.createStatement(id, signal)
    const change = interpreter.adopt(id, createSql)
    if (change === null) return null
    const event = { databaseName: id.database, ddl: createSql ?? '', changes: [change], tables: new Set([id]) }
    await this.#tell([event], context, [], signal)
    return change
  }

  /** Whether what looks like a sequence is one, as far as the server can still say: one that is gone is taken for it. */
  async isSequence(id: TableId, signal?: AbortSignal): Promise<boolean> {
    const { reader, logger } = this.#options
    const createSql = await reader.createStatement(id, signal)
    if (createSql !== null && !/ SEQUENCE=1\b/.test(createSql)) return false
    logger.info(`Rows of ${id.toString()} are no events: it is a sequence`, { isGone: createSql === null })
    return true
  }

  async #tell(
    events: readonly SchemaChange[],
    context: DdlContext,
    out: SourceRecord[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { filter, history, partition, clock, records, format } = this.#options
    const included = events.filter((event) => concerns(event, filter))
    if (included.length === 0) return
    const stored = included.map(({ databaseName, ddl, changes }): HistoryRecord => ({
      source: partition,
      position: context.offset.toDocument(),
      timestampMs: clock.now(),
      databaseName,
      ddl,
      changes,
    }))
    await history.append(stored, signal)
    if (records === null) return
    const table = tableNames(included)
    for (const [i, { databaseName, ddl, changes }] of included.entries()) {
      const source = format.source({ ...context.info, database: databaseName, table })
      // Only the last one moves the offset behind the statement: stored after another, it would lose the rest.
      const offset = i === included.length - 1 ? context.offset : context.offsetBefore
      out.push(records.record({ databaseName, ddl, changes, source, offset }))
    }
  }
}

const NONE: readonly SchemaAnnouncement[] = []

/** A table that is renamed concerns both databases: the one that it leaves, too. */
function concerns({ databaseName, tables, changes }: SchemaChange, filter: TableFilter): boolean {
  if (databaseName === '' || filter.includesDatabase(databaseName)) return true
  const left = changes.flatMap(({ previousId }) => (previousId === null ? [] : [previousId]))
  return [...tables, ...left].some(({ database }) => filter.includesDatabase(database))
}

/** What was read belongs to the event that names the table. */
function withLearned(events: readonly SchemaChange[], learned: readonly TableChange[]): readonly SchemaChange[] {
  if (learned.length === 0) return events
  return events.map((event) => {
    const added = learned.filter(({ id }) => event.tables.has(id) && !event.changes.some((change) => change.id === id))
    return added.length === 0 ? event : { ...event, changes: [...event.changes, ...added] }
  })
}
