import { type Poll, TableId as TableIds, type Tables, type StreamingNumbers } from '@tributary/connector-kit'
import type { TableMap } from '@tributary/mysql'
import { type Logger, type Meter, unreachable } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { SourceInfo } from '../source/source-info.ts'
import { quoted } from '../tables/quoted-name.ts'
import type { DdlHandler } from './ddl-handler.ts'
import type { DefinitionCheck } from './definition-check.ts'
import type { DefinitionPlace } from './definition-finder.ts'
import type { DefinitionLearner } from './definition-learner.ts'
import { EventFailures } from './event-failures.ts'
import { type CapturedRows, NOT_CAPTURED, type RowBinding } from './row-binding.ts'
import type { RowBindings } from './row-bindings.ts'
import type { RowProof } from './rows-ahead.ts'
import { hasSequenceShape } from './sequence-shape.ts'

export interface UnknownTablesOptions {
  readonly config: Pick<ConnectorConfig, 'unknownTableHandling'>
  readonly tables: Tables<MySqlTable>
  readonly ddl: Pick<DdlHandler, 'isSequence'>
  readonly learner: DefinitionLearner
  readonly check: Pick<DefinitionCheck, 'answered' | 'of' | 'release' | 'close'>
  readonly connectorName: string
  /** True: there is no connector whose offsets could be removed. Default: false. */
  readonly keepsNothing?: boolean
  readonly meter: Meter
  /** Default: nobody reads the numbers. */
  readonly numbers?: StreamingNumbers
  readonly logger: Logger
}

/** Rows that cannot be read, since their definition is not known, or since it is not that of the table map. */
export interface UnknownTableRows {
  readonly map: TableMap
  readonly reason: string
  /** Before the rows. */
  readonly position: StreamPosition
  readonly place: DefinitionPlace
  readonly proof: RowProof
  /** The origin of the rows. */
  readonly info: Omit<SourceInfo, 'database' | 'table'>
}

/**
 * The tables of one connection whose definition is not known at their rows, or may be another one: finds it, or stops
 * them.
 */
export class UnknownTables {
  readonly #options: UnknownTablesOptions
  readonly #bindings: RowBindings
  readonly #failures: EventFailures

  constructor(options: UnknownTablesOptions, bindings: RowBindings) {
    this.#options = options
    this.#bindings = bindings
    this.#failures = new EventFailures(options.config.unknownTableHandling, options.logger, options.numbers)
  }

  /** How the rows are read; `unknown` when that cannot be known. */
  async learn(rows: UnknownTableRows, poll: Poll): Promise<RowBinding> {
    const { tables, learner, ddl } = this.#options
    const { map } = rows
    const id = TableIds.of(map.database, map.table)
    const isSequence = !tables.has(id) && hasSequenceShape(map) && (await ddl.isSequence(id, poll.signal))
    const binding = isSequence ? NOT_CAPTURED : await learner.forRows({ ...rows, id }, poll)
    return this.#prove(map, binding, rows.proof)
  }

  /** Whether rows under a table number that is new can be read at once, without the comparison that `check` does. */
  isChecked(binding: CapturedRows, { place, proof }: Pick<UnknownTableRows, 'place' | 'proof'>): boolean {
    const answer = this.#options.check.answered(place, binding.captured.table)
    if (answer?.tag !== 'unchanged') return false
    if (answer.isFinal) binding.provedFor = proof.tableId
    return true
  }

  /**
   * Rows that their definition fits, under a table number that is new: whether a statement that is not in the binlog
   * changed the table before them. `unknown` when that cannot be known.
   */
  async check(binding: CapturedRows, rows: Omit<UnknownTableRows, 'reason'>, poll: Poll): Promise<RowBinding> {
    const { check, learner } = this.#options
    const { map, proof } = rows
    const { table } = binding.captured
    const fitting = { ...rows, id: table.id }
    const checked = await check.of(fitting, table, poll.signal)
    switch (checked.tag) {
      case 'unchanged':
        if (checked.isFinal) binding.provedFor = proof.tableId
        return binding
      case 'changed': {
        const { how } = checked
        const adopted = await learner.adopt(checked.table, checked.createSql, { rows: fitting, how, poll })
        return this.#prove(map, adopted, proof)
      }
      case 'unclear':
        return { tag: 'unknown', reason: checked.reason }
      default:
        return unreachable(checked)
    }
  }

  #prove(map: TableMap, binding: RowBinding, { tableId }: RowProof): RowBinding {
    if (binding.tag === 'captured' && binding.provedFor !== null) binding.provedFor = tableId
    if (binding.tag !== 'unknown') this.#bindings.set(map, binding)
    return binding
  }

  /**
   * Stops the table, or leaves its rows out, as `inconsistent.schema.handling.mode` and
   * `event.processing.failure.handling.mode` demand. Returns the position with the stopped table.
   *
   * @param at the rows, for messages
   */
  async refuse({ map, reason, position }: RefusedRows, at: string, signal: AbortSignal): Promise<StreamPosition> {
    const { config, connectorName: connector, keepsNothing = false, learner, logger, meter } = this.#options
    const id = TableIds.of(map.database, map.table)
    const remedy = `ALTER TABLE ${quoted(id.database)}.${quoted(id.table)}`
    const error = keepsNothing
      ? connectorErrors.TABLE_UNKNOWN_HERE({ table: id.toString(), position: at, reason, remedy })
      : connectorErrors.TABLE_UNKNOWN({ table: id.toString(), position: at, connector, reason, remedy })
    if (config.unknownTableHandling !== 'fail') {
      this.#failures.handle(error)
      // The next statement on the table must not change the wrong definition: it yields the right one.
      await learner.forget(id, position, signal)
      this.#bindings.refuse(map)
      return position
    }
    if (position.stopped.size >= STOPPED_MAX) {
      const table = id.toString()
      throw connectorErrors.TABLES_STOPPED({ max: STOPPED_MAX, table, position: at, reason, connector }, error)
    }
    await learner.forget(id, position, signal)
    meter.counter('tables.stopped').add(1)
    logger.error(`The table ${id.toString()} is stopped at ${at}; other tables continue`, { error })
    return position.withStopped(position.stopped.with({ id, since: at }))
  }
}

export type RefusedRows = Pick<UnknownTableRows, 'map' | 'reason' | 'position'>

/** They are part of every offset, so they have to be few; when so many are unknown, it is not about single tables. */
const STOPPED_MAX = 100
