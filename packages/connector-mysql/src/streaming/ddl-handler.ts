import type { RecordSchemas } from '@tributary/connect-api'
import type { Poll, RecordFormat, SchemaChangeStage, SchemaStatement, TableId } from '@tributary/connector-kit'
import type { MySqlTableChange } from '../schema/mysql-table.ts'
import { type QueryEvent, sqlModeOptions } from '@tributary/mysql'
import type { Logger } from '@tributary/support'
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
  /** Stores definitions that were read because rows need them. */
  readonly schemaChanges: SchemaChangeStage
  readonly format: RecordFormat<SourceInfo>
  readonly reader: SchemaReader
  readonly logger: Logger
}

/** What a statement is handled with. */
export interface DdlContext {
  readonly info: Omit<SourceInfo, 'database' | 'table'>
  /** True: the statement is a transaction by itself. */
  readonly isAlone: boolean
  readonly positionBefore: StreamPosition
  /** After the statement. */
  readonly position: StreamPosition
}

/**
 * Handles the statements of the binlog that change the schema: applies them to the table model and hands them over as
 * changes. When `handle` resolves, the schema history has them: rows under the new definition may follow.
 */
export class DdlHandler {
  readonly #options: DdlHandlerOptions

  constructor(options: DdlHandlerOptions) {
    this.#options = options
  }

  async handle(query: QueryEvent, context: DdlContext, poll: Poll): Promise<DdlOutcome> {
    const { interpreter, logger } = this.#options
    const outcome = interpreter.interpret(query.sql, {
      database: query.database === '' ? null : query.database,
      ...(query.sqlMode === null ? {} : sqlModeOptions(query.sqlMode)),
    })
    if (outcome.error !== null) {
      const place = `${context.info.file}:${context.info.position}`
      logger.warn(
        `The parser does not know the statement at ${place}: the tables that it names are read again from the server`,
        {
          statement: query.sql.slice(0, 500),
          reason: outcome.error.message,
        },
      )
    }
    const learned = await this.#learn(outcome, poll.signal)
    const events = withLearned(outcome.events, learned)
    await this.#handOver(events, context, poll)
    for (const { changes } of events) for (const change of changes) this.#announce(change, poll)
    // A statement that the parser does not know may name several tables for other reasons.
    if (outcome.error === null) this.#logCaptureChanges(events)
    return outcome
  }

  async #handOver(events: readonly SchemaChange[], context: DdlContext, poll: Poll): Promise<void> {
    const { filter, format } = this.#options
    const included = events.filter((event) => concerns(event, filter))
    if (included.length === 0) return
    const { info, ...place } = context
    const table = tableNames(included)
    const statement: SchemaStatement = {
      events: included,
      isStored: false,
      sourceOf: ({ databaseName }) => format.source({ ...info, database: databaseName, table }),
    }
    await poll.handle({ tag: 'statement', statement, ...place })
  }

  /** Announces the schemas of rows to come. */
  #announce({ id, previousId, table }: MySqlTableChange, poll: Poll): void {
    const { filter, compiler } = this.#options
    if (previousId !== null) poll.announce(previousId.toString(), null)
    if (table === null || !filter.includesTable(table.id)) {
      poll.announce(id.toString(), null)
      return
    }
    poll.announce(id.toString(), (): RecordSchemas => {
      const { topic, keySchema, envelopeSchema } = compiler.compile(table).schema
      return { topic, keySchema, valueSchema: envelopeSchema }
    })
  }

  /**
   * Only this log line explains why a topic has no events any more, or why it starts with a table that has rows
   * already.
   */
  #logCaptureChanges(events: readonly SchemaChange[]): void {
    const { filter, logger } = this.#options
    for (const { from, to, isCaptured } of captureChanges(events, filter)) {
      const renamed = `${from.toString()} was renamed to ${to.toString()}`
      if (isCaptured) {
        logger.info(
          `${renamed}, which the include and exclude lists select: changes of its rows are captured from here on, its existing rows are not`,
        )
      } else {
        logger.warn(
          `${renamed}, which the include and exclude lists leave out: changes of its rows are not captured any more. If that is not intended, add the new name to the lists; rows that change until then need a new snapshot`,
        )
      }
    }
  }

  /** Reads the captured tables whose definitions cannot be derived from the statement. */
  async #learn(outcome: DdlOutcome, signal: AbortSignal | undefined): Promise<readonly MySqlTableChange[]> {
    const { filter, interpreter, reader, logger } = this.#options
    const learned: MySqlTableChange[] = []
    for (const { id, reason } of outcome.needsSchema) {
      if (!filter.includesTable(id)) continue
      logger.info(`Reading the definition of ${id.toString()} from the server: ${reason}`)
      const change = interpreter.adopt(id, await reader.createStatement(id, signal))
      if (change !== null) learned.push(change)
    }
    return learned
  }

  /**
   * Reads a definition because the binlog names a table that the model does not have, or has otherwise. It is stored at
   * that position: rows follow. Null when the server has no such table.
   */
  async relearn(
    id: TableId,
    reason: string,
    position: StreamPosition,
    signal: AbortSignal,
  ): Promise<MySqlTableChange | null> {
    const { interpreter, reader, logger, filter, schemaChanges } = this.#options
    logger.warn(`Reading the definition of ${id.toString()} from the server: ${reason}`)
    const createSql = await reader.createStatement(id, signal)
    const change = interpreter.adopt(id, createSql)
    if (change === null) return null
    const event = { databaseName: id.database, ddl: createSql ?? '', changes: [change], tables: new Set([id]) }
    if (concerns(event, filter)) await schemaChanges.store([event], position, signal)
    return change
  }

  /**
   * Whether a table map with the shape of a sequence is of one. A table that the server has no more counts as a
   * sequence.
   */
  async isSequence(id: TableId, signal?: AbortSignal): Promise<boolean> {
    const { reader, logger } = this.#options
    const createSql = await reader.createStatement(id, signal)
    if (createSql !== null && !/ SEQUENCE=1\b/.test(createSql)) return false
    logger.info(`Rows of ${id.toString()} are not captured: it is a sequence`, { isGone: createSql === null })
    return true
  }
}

/** A rename concerns two databases: the one that the table leaves, and the one that it joins. */
function concerns({ databaseName, tables, changes }: SchemaChange, filter: TableFilter): boolean {
  if (databaseName === '' || filter.includesDatabase(databaseName)) return true
  const left = changes.flatMap(({ previousId }) => (previousId === null ? [] : [previousId]))
  return [...tables, ...left].some(({ database }) => filter.includesDatabase(database))
}

/** Adds each definition that was read to the event that names its table. */
function withLearned(events: readonly SchemaChange[], learned: readonly MySqlTableChange[]): readonly SchemaChange[] {
  if (learned.length === 0) return events
  return events.map((event) => {
    const added = learned.filter(({ id }) => event.tables.has(id) && !event.changes.some((change) => change.id === id))
    return added.length === 0 ? event : { ...event, changes: [...event.changes, ...added] }
  })
}
