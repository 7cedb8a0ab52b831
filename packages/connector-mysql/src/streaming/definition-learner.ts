import type { Poll, RecordFormat, SchemaChangeStage, SchemaStatement, TableId } from '@tributary/connector-kit'
import type { TableMap, TableMapDetails } from '@tributary/mysql'
import { CodedError, type Logger, type Meter } from '@tributary/support'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable, MySqlTableChange } from '../schema/mysql-table.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import { tableFromMap } from '../tables/table-from-map.ts'
import type { DefinitionFinder, DefinitionPlace, FoundDefinition } from './definition-finder.ts'
import { bindRows, detailsOf, type RowBinding } from './row-binding.ts'
import type { RowProof } from './rows-ahead.ts'

export interface DefinitionLearnerOptions {
  readonly interpreter: DdlInterpreter
  readonly finder: DefinitionFinder
  readonly compiler: TableCompiler
  /** Stores definitions that were read because rows need them. */
  readonly schemaChanges: SchemaChangeStage
  readonly format: RecordFormat<SourceInfo>
  readonly flavor: 'mysql' | 'mariadb'
  readonly meter: Meter
  readonly logger: Logger
}

/** Rows whose table is unknown, or has another definition than the model. */
export interface UnreadableRows {
  readonly id: TableId
  readonly map: TableMap
  /** Why they cannot be read. */
  readonly reason: string
  readonly place: DefinitionPlace
  readonly proof: RowProof
  /** Before the rows. */
  readonly position: StreamPosition
  /** The origin of the rows. */
  readonly info: Omit<SourceInfo, 'database' | 'table'>
}

/**
 * Finds the definitions that do not follow from the statements of the binlog, as they were at the current position. A
 * definition of another time never enters the model: it would be applied to older rows, and statements that it contains
 * already would change it again.
 */
export class DefinitionLearner {
  readonly #options: DefinitionLearnerOptions
  /** Why the definition after the last statement about a table is not known. */
  readonly #doubts = new Map<TableId, string>()

  constructor(options: DefinitionLearnerOptions) {
    this.#options = options
  }

  /** The definition after a statement from which it does not follow; null when it cannot be known. */
  async afterStatement(
    id: TableId,
    reason: string,
    place: DefinitionPlace,
    signal: AbortSignal,
  ): Promise<MySqlTableChange | null> {
    const { interpreter, finder, logger } = this.#options
    logger.info(`Reading the definition of ${id.toString()} from the server: ${reason}`)
    const found = await finder.find(id, place, signal)
    this.#doubts.delete(id)
    if (found.tag === 'valid') return interpreter.adopt(id, found.createSql)
    if (this.#doubts.size >= DOUBTS_MAX) this.#doubts.clear()
    this.#doubts.set(id, `it does not follow from the last statement about the table (${reason}), and ${found.reason}`)
    logger.warn(
      `The definition of ${id.toString()} after that statement is not known: ${found.reason}. Its rows can be read from the next statement on that defines it`,
    )
    return null
  }

  /** Reads rows by the definition that the server has, or that the map has, if it is proved to be that of the rows. */
  async forRows(rows: UnreadableRows, poll: Poll): Promise<RowBinding> {
    const binding = await this.#findForRows(rows, poll)
    if (binding.tag !== 'unknown') return binding
    const doubt = this.#options.interpreter.tables.has(rows.id) ? undefined : this.#doubts.get(rows.id)
    return doubt === undefined ? binding : { tag: 'unknown', reason: doubt }
  }

  async #findForRows(rows: UnreadableRows, poll: Poll): Promise<RowBinding> {
    const { interpreter, finder, logger } = this.#options
    const { id, map } = rows
    const { signal } = poll
    logger.warn(`Reading the definition of ${id.toString()} from the server: ${rows.reason}`)
    const known = interpreter.tables.get(id) ?? null
    const found = await finder.find(id, rows.place, signal)
    const details = detailsOf(map)
    const current = found.createSql === null ? null : this.#derive(id, found.createSql)
    const fitting = current === null ? null : this.#bind(current, map)
    if (current !== null && fitting?.tag === 'captured') {
      const doubt = details?.hasNames === true ? null : await this.#doubt(found, rows, signal)
      if (doubt !== null) return { tag: 'unknown', reason: doubt }
      const now = found.tag === 'valid' ? 'the server has it, and the binlog no later statement about it' : IN_MAP
      return this.#heal(current, found.createSql ?? '', { rows, how: now, poll })
    }
    if (details?.hasNames !== true) {
      const misfit = fitting?.tag === 'unknown' ? fitting.reason : 'it is a view'
      return { tag: 'unknown', reason: found.tag === 'uncertain' ? found.reason : misfit }
    }
    return this.#fromMap(
      rows,
      details,
      [current, known].filter((table) => table !== null),
      poll,
    )
  }

  /** Why the definition of now may not be that of the rows; null when it is. */
  async #doubt(found: FoundDefinition, rows: UnreadableRows, signal: AbortSignal): Promise<string | null> {
    if (found.tag === 'uncertain') return found.reason
    const { id, place, proof } = rows
    // Without a limit, all of it is read.
    const doubt = await this.#options.finder.whyChangedAfter({ id, name: found.name }, place, proof, signal)
    return doubt.tag === 'doubt' ? doubt.reason : null
  }

  async #fromMap(
    rows: UnreadableRows,
    details: TableMapDetails,
    candidates: readonly MySqlTable[],
    poll: Poll,
  ): Promise<RowBinding> {
    const { id, map } = rows
    const { flavor } = this.#options
    const made = tableFromMap(map, details, candidates, flavor)
    if (made.tag === 'unclear') return { tag: 'unknown', reason: made.reason }
    const derived = this.#derive(id, made.createSql)
    if (derived === null) return { tag: 'unknown', reason: 'the definition that the binlog contains is not understood' }
    const columns = derived.columns.map((column, i) => {
      const other = made.known[i] ?? null
      return other === null ? column : { ...other, position: column.position }
    })
    const table = { ...derived, columns }
    const binding = this.#bind(table, map)
    return binding.tag === 'unknown' ? binding : this.#heal(table, made.createSql, { rows, how: IN_MAP, poll })
  }

  #bind(table: MySqlTable, map: TableMap): RowBinding {
    return bindRows(this.#options.compiler.compile(table), map)
  }

  /** The definition of a statement, without taking it over; null when it is of a view, or not understood. */
  #derive(id: TableId, createSql: string): MySqlTable | null {
    try {
      return this.#options.interpreter.derive(id, createSql)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      this.#options.logger.warn(`The definition of ${id.toString()} is not understood`, { error })
      return null
    }
  }

  /** Reads rows by a definition that is proved to be theirs, and that the server has now. */
  adopt(table: MySqlTable, ddl: string, { rows, how, poll }: Healing): Promise<RowBinding> {
    return this.#heal(table, ddl, { rows, how, poll })
  }

  /**
   * Adopts a definition that applies to the following rows. Writes it to the schema history and the schema change topic,
   * logs a warning and increments `tables.healed`.
   */
  async #heal(table: MySqlTable, ddl: string, { rows, how, poll }: Healing): Promise<RowBinding> {
    const { interpreter, format, logger, meter } = this.#options
    const { id, columns } = table
    const { position, info, map } = rows
    const change: MySqlTableChange = { type: 'ALTER', id, previousId: null, table }
    const statement: SchemaStatement = {
      events: [{ databaseName: id.database, ddl, changes: [change] }],
      isStored: false,
      sourceOf: () => format.source({ ...info, database: id.database, table: id.table }),
    }
    await poll.handle({ tag: 'statement', statement, isAlone: false, positionBefore: position, position })
    // Only now: after an error the rows are read again, and must not be read by a definition that is not stored.
    interpreter.define(table)
    meter.counter('tables.healed').add(1)
    logger.warn(`From ${info.file}:${info.position} on, ${id.toString()} is read by another definition: ${how}`, {
      columns: columns.map(({ name }) => name).join(', '),
    })
    return this.#bind(table, map)
  }

  /**
   * Removes a definition that is not that of the rows which follow. The schema history gets this, too: a reader that
   * does not know the offset key `stopped_tables` (Debezium) then has no definition instead of a wrong one.
   */
  async forget(id: TableId, position: StreamPosition, signal: AbortSignal): Promise<void> {
    const { interpreter, schemaChanges } = this.#options
    const ddl = `DROP TABLE IF EXISTS ${quoted(id.database)}.${quoted(id.table)}`
    const change: MySqlTableChange = { type: 'DROP', id, previousId: null, table: null }
    await schemaChanges.store([{ databaseName: id.database, ddl, changes: [change] }], position, signal)
    interpreter.forget(id)
  }
}

/** How a definition was found, and where it is taken over. */
export interface Healing {
  readonly rows: Omit<UnreadableRows, 'reason'>
  /** For the log. */
  readonly how: string
  readonly poll: Poll
}

const IN_MAP = 'the binlog itself contains it (binlog_row_metadata=FULL)'
/** They only explain errors, and are few. */
const DOUBTS_MAX = 1000
