import type { RecordSchemas } from '@tributary/connect-api'
import type { Poll, RecordFormat, SchemaStatement, TableId } from '@tributary/connector-kit'
import type { MySqlTableChange } from '../schema/mysql-table.ts'
import type { QueryEvent } from '@tributary/mysql'
import type { Logger, Meter } from '@tributary/support'
import type { TableFilter } from '../config/table-filter.ts'
import type { StoppedTables } from '../offset/stopped-tables.ts'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { type DdlOutcome, type SchemaChange, type SchemaGap, tableNames } from '../schema/schema-change.ts'
import { sessionHeader } from '../schema/session-header.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import type { SchemaReader } from '../tables/schema-reader.ts'
import { type CaptureChange, captureChanges, renamesOf } from './capture-changes.ts'
import type { DefinitionPlace } from './definition-finder.ts'
import type { DefinitionLearner } from './definition-learner.ts'
import { placeOf } from './event-place.ts'
import { TruncatedTable } from './truncated-table.ts'

export interface DdlHandlerOptions {
  readonly interpreter: DdlInterpreter
  readonly filter: TableFilter
  /** Creates the schemas of later rows. */
  readonly compiler: TableCompiler
  readonly learner: DefinitionLearner
  readonly format: RecordFormat<SourceInfo>
  readonly reader: SchemaReader
  /** False: `skipped.operations` has `t`. */
  readonly reportsTruncation: boolean
  /** Statements about other tables are not recorded. */
  readonly recordsOnlyCapturedTables: boolean
  /**
   * A statement that is not understood, and after which a definition cannot be known, leaves it as it was:
   * `schema.history.internal.skip.unparseable.ddl`.
   */
  readonly skipsUnparseable: boolean
  /**
   * Called with the tables that a statement is about, whether it changes their definitions or not; null: with a
   * statement that is not understood, which may be about any. `statement`: its text and place, for messages.
   */
  readonly onStatement?: (tables: ReadonlySet<TableId> | null, statement: string) => void
  /**
   * Called with the tables of a statement that renames some: the old names, by the new ones. Returns the progress that
   * positions after the statement have.
   */
  readonly onRenames?: (oldNames: ReadonlyMap<TableId, TableId>) => IncrementalProgress
  /**
   * Called with tables that a statement has renamed to captured names: their existing rows are copied. Returns the
   * progress that positions after the statement have. Absent: they are not copied.
   */
  readonly onRenamed?: (tables: readonly TableId[]) => IncrementalProgress
  /** Records have the settings of the session, for readers that run the statements. Default: false. */
  readonly reportsSessions?: boolean
  readonly meter: Meter
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
  /** After the statement, in the binlog of the current server. */
  readonly place: DefinitionPlace
  readonly stopped: StoppedTables
}

export interface HandledStatement {
  readonly outcome: DdlOutcome
  /** After the statement; a table that is not stopped any more is not stopped there. */
  readonly position: StreamPosition
}

/** Of a text in the log. */
const STATEMENT_CHARACTERS_MAX = 500

/**
 * Handles the statements of the binlog that change the schema: applies them to the table model and hands them over as
 * changes. When `handle` resolves, the schema history has them: rows under the new definition may follow.
 */
export class DdlHandler {
  readonly #options: DdlHandlerOptions

  constructor(options: DdlHandlerOptions) {
    this.#options = options
  }

  /**
   * Rejects without a trace in the model when the statement cannot be handled: the source reads the statement again and
   * applies it then.
   */
  handle(query: QueryEvent, context: DdlContext, poll: Poll): Promise<HandledStatement> {
    return this.#options.interpreter.transact(() => this.#apply(query, context, poll))
  }

  /** The binlog continues after a start of the server. */
  noteServerStart(): void {
    this.#options.interpreter.noteServerStart()
  }

  async #apply(query: QueryEvent, context: DdlContext, poll: Poll): Promise<HandledStatement> {
    const { interpreter, logger, meter } = this.#options
    const outcome = interpreter.interpret(query.sql, {
      ...interpreter.sessionOf(query),
      // Of CREATE TABLE … SELECT, which has its rows in one transaction, the server writes what SHOW CREATE TABLE prints.
      isPrinted: !context.isAlone,
    })
    const place = `${context.info.file}:${context.info.position}`
    if (outcome.error !== null) {
      meter.counter('statements.not.understood').add(1)
      logger.warn(
        `The parser does not know the statement at ${place}: the tables that it names are read again from the server`,
        {
          statement: query.sql.slice(0, STATEMENT_CHARACTERS_MAX),
          reason: outcome.error.message,
        },
      )
    }
    const statement = `'${query.sql.slice(0, STATEMENT_CHARACTERS_MAX)}' at ${place}`
    this.#options.onStatement?.(outcome.error === null ? tablesOfOutcome(outcome) : null, statement)
    const learned = await this.#learn(outcome, context, poll)
    const events = withLearned(outcome.events, learned)
    // A statement that the parser does not know may name several tables for other reasons.
    const captures = outcome.error === null ? captureChanges(events, this.#options.filter) : []
    const continued = this.#followRenames(outcome, this.#continueTables(outcome, events, context))
    const position = this.#copyRenamed(captures, continued)
    await this.#handOver(events, query, { ...context, position }, poll)
    await this.#reportTruncation(outcome.truncated, { ...context, position }, poll)
    for (const { changes } of events) for (const change of changes) this.#announce(change, poll)
    this.#logCaptureChanges(captures)
    return { outcome, position }
  }

  /** The position in which tables that are being copied have their new names. */
  #followRenames({ events, error }: DdlOutcome, position: StreamPosition): StreamPosition {
    const { onRenames } = this.#options
    const oldNames = error === null ? renamesOf(events) : NO_RENAMES
    return onRenames === undefined || oldNames.size === 0 ? position : position.withIncremental(onRenames(oldNames))
  }

  /** The position from which the rows of renamed tables are copied: a task that continues there does that, too. */
  #copyRenamed(captures: readonly CaptureChange[], position: StreamPosition): StreamPosition {
    const { onRenamed } = this.#options
    const tables = captures.filter(({ isCaptured }) => isCaptured).map(({ to }) => to)
    return onRenamed === undefined || tables.length === 0 ? position : position.withIncremental(onRenamed(tables))
  }

  /** The position without the stopped tables that the statement dropped, created anew, or continued as asked for. */
  #continueTables(outcome: DdlOutcome, events: readonly SchemaChange[], context: DdlContext): StreamPosition {
    const { interpreter, logger } = this.#options
    let { stopped } = context
    if (stopped.size === 0) return context.position
    const place = placeOf(context.info)
    const { statement } = outcome
    const dropped = statement?.tag === 'dropDatabase' ? stopped.of(events[0]?.databaseName ?? '') : []
    for (const { id } of dropped) stopped = stopped.without(id)
    for (const { id, type, table } of events.flatMap(({ changes }) => changes)) {
      const since = stopped.get(id)?.since
      if (since === undefined) continue
      if (type === 'ALTER' && !isRemedy(outcome)) {
        // Another table got its name: whether that has the rows that are missing is not known.
        interpreter.forget(id)
        continue
      }
      stopped = stopped.without(id)
      if (table === null) logger.warn(`The stopped table ${id.toString()} was dropped at ${place}`)
      else
        logger.warn(
          `The stopped table ${id.toString()} continues at ${place}: its changes from ${since} up to there were not captured`,
        )
    }
    return stopped === context.stopped ? context.position : context.position.withStopped(stopped)
  }

  async #handOver(events: readonly SchemaChange[], query: QueryEvent, context: DdlContext, poll: Poll): Promise<void> {
    const { filter, format, recordsOnlyCapturedTables, reportsSessions, interpreter } = this.#options
    const isRecorded = recordsOnlyCapturedTables ? concernsCapturedTable : concernsDatabase
    const included = events.filter((event) => isRecorded(event, filter))
    if (included.length === 0) return
    const { info, ...place } = context
    const table = tableNames(included)
    const statement: SchemaStatement = {
      events: included,
      isStored: false,
      sourceOf: ({ databaseName }) => format.source({ ...info, database: databaseName, table }),
      ...(reportsSessions === true ? { headers: [sessionHeader(query, interpreter.sessionOf(query))] } : {}),
    }
    await poll.handle({ tag: 'statement', statement, ...place })
  }

  /** TRUNCATE TABLE yields one event, whatever the number of rows: the binlog has none of them. */
  async #reportTruncation(
    id: TableId | null,
    { info, positionBefore, position }: DdlContext,
    poll: Poll,
  ): Promise<void> {
    const { interpreter, filter, compiler, format, reportsTruncation } = this.#options
    if (!reportsTruncation || id === null || !filter.includesTable(id)) return
    const table = interpreter.tables.get(id)
    if (table === undefined) return
    const { schema, refusal } = compiler.compile(table)
    if (refusal !== null) throw refusal
    const source = format.source({ ...info, database: table.id.database, table: table.id.table })
    const origin = { table: schema, source, offsetBefore: positionBefore, offset: position }
    await poll.handle({ tag: 'rows', rows: new TruncatedTable(origin), position })
  }

  /** Announces the schemas of later rows. */
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
  #logCaptureChanges(captures: readonly CaptureChange[]): void {
    const { logger, onRenamed } = this.#options
    const rows = onRenamed === undefined ? 'its existing rows are not' : 'its existing rows are copied'
    for (const { from, to, isCaptured } of captures) {
      const renamed = `${from.toString()} was renamed to ${to.toString()}`
      if (isCaptured) {
        logger.info(
          `${renamed}, which the include and exclude lists select: changes of its rows are captured from here on, ${rows}`,
        )
      } else {
        logger.warn(
          `${renamed}, which the include and exclude lists leave out: changes of its rows are not captured any more. If that is not intended, add the new name to the lists; rows that change until then need a new snapshot`,
        )
      }
    }
  }

  /**
   * Finds the definitions of captured tables that do not follow from the statement. A stopped table continues only with
   * the statement that its error names.
   */
  async #learn(outcome: DdlOutcome, { place, stopped }: DdlContext, poll: Poll): Promise<readonly MySqlTableChange[]> {
    const { filter, learner } = this.#options
    const learned: MySqlTableChange[] = []
    for (const gap of outcome.needsSchema) {
      const { id, reason } = gap
      if (!filter.includesTable(id)) continue
      if (stopped.get(id) !== undefined && !isRemedy(outcome)) continue
      const change = await learner.afterStatement(id, reason, place, poll.signal)
      if (change !== null) learned.push(change)
      else this.#keep(gap)
    }
    return learned
  }

  /** Skips the statement for that table, if it is to be skipped: its definition stays as it was. */
  #keep({ id, before }: SchemaGap): void {
    const { interpreter, skipsUnparseable, logger } = this.#options
    if (!skipsUnparseable || before === undefined) return
    interpreter.define(before)
    logger.warn(
      `The statement is skipped for ${id.toString()}, whose definition stays as it was (schema.history.internal.skip.unparseable.ddl=true). If the statement changed columns, later events may have values under wrong names`,
    )
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

/** `ALTER TABLE t` without any change, which continues a stopped table. */
function isRemedy({ statement }: DdlOutcome): boolean {
  return statement?.tag === 'alterTable' && statement.actions.length === 0
}

/** A rename concerns two databases: the one that the table leaves, and the one that it joins. */
function concernsDatabase(event: SchemaChange, filter: TableFilter): boolean {
  if (event.databaseName === '' || filter.includesDatabase(event.databaseName)) return true
  return tablesOf(event).some(({ database }) => filter.includesDatabase(database))
}

/** A statement about no table is about its database, whose default charset later tables have. */
function concernsCapturedTable(event: SchemaChange, filter: TableFilter): boolean {
  const tables = tablesOf(event)
  return tables.length === 0 ? concernsDatabase(event, filter) : tables.some((id) => filter.includesTable(id))
}

/** A renamed table by both of its names. */
function tablesOf({ tables, changes }: SchemaChange): readonly TableId[] {
  return [...tables, ...changes.flatMap(({ previousId }) => (previousId === null ? [] : [previousId]))]
}

function tablesOfOutcome({ events, needsSchema, truncated }: DdlOutcome): ReadonlySet<TableId> {
  const truncatedTables = truncated === null ? [] : [truncated]
  return new Set([...events.flatMap(tablesOf), ...needsSchema.map(({ id }) => id), ...truncatedTables])
}

const NO_RENAMES: ReadonlyMap<TableId, TableId> = new Map()

/** Adds each definition that was read to the event that names its table. */
function withLearned(events: readonly SchemaChange[], learned: readonly MySqlTableChange[]): readonly SchemaChange[] {
  if (learned.length === 0) return events
  return events.map((event) => {
    const added = learned.filter(({ id }) => event.tables.has(id) && !event.changes.some((change) => change.id === id))
    return added.length === 0 ? event : { ...event, changes: [...event.changes, ...added] }
  })
}
