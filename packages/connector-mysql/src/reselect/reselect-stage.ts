import { type ConnectValue, derive, EncodedText, type Schema, type SourceRecord, Struct } from '@tributary/connect-api'
import type { ChangeStage, Poll, RowsChange, TableId } from '@tributary/connector-kit'
import { type CodedError, isRetriable, type Logger, StoppedError, toError } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { ReselectOptions } from '../post-processors/reselect-options.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { setUnknownFields, unknownFieldsOf } from '../values/unknown-fields.ts'
import type { BinaryMode } from '../values/value-options.ts'
import { type ReselectedField, type ReselectPlan, reselectPlan, reselectSql, replacement } from './reselect-plan.ts'
import type { RowReader } from './row-reader.ts'

export interface ReselectStageOptions {
  readonly options: ReselectOptions
  /** The stage that makes records of rows. */
  readonly rows: ChangeStage
  readonly reader: RowReader
  /** The compiled definition of a table; null when it is unknown. */
  readonly tableOf: (id: TableId) => CapturedTable | null
  /** `binary.handling.mode` */
  readonly binary: BinaryMode
  /** What stands in events for a value that the database did not send. */
  readonly unavailable: Buffer
  /** `signal.data.collection`, whose rows are never read again; null: not set. */
  readonly signalTable: string | null
  readonly logger: Logger
}

/** An event with fields that are to be read again. */
interface Incomplete {
  /** In the records of the poll. */
  readonly at: number
  readonly record: SourceRecord
  readonly value: Struct
  readonly after: Struct
  readonly key: Struct
  readonly fields: readonly ReselectedField[]
  /** `unknownFieldsOf` the row. */
  readonly unknown: readonly number[]
}

/**
 * `ReselectColumnsPostProcessor`: events of inserts and updates with NULL in some columns get the current values of
 * these columns, by a query per row. Masks apply to them as to all others (in Debezium they do not).
 *
 * It encloses the stage that makes records of rows, and waits between that stage and the next change only when there is
 * something to read.
 */
export class ReselectStage implements ChangeStage {
  readonly #options: ReselectStageOptions
  readonly #plans = new WeakMap<CapturedTable, ReselectPlan>()
  readonly #unavailableText: string
  #failures = 0

  constructor(options: ReselectStageOptions) {
    this.#options = options
    this.#unavailableText = options.unavailable.toString()
  }

  time(poll: Poll): void {
    this.#options.rows.time?.(poll)
  }

  rows(change: RowsChange, poll: Poll): Promise<void> | null {
    const first = poll.records.length
    const waiting = this.#options.rows.rows?.(change, poll) ?? null
    if (waiting !== null) return waiting.then(() => this.#complete(change, poll, first) ?? undefined)
    return this.#complete(change, poll, first)
  }

  /** Null: no event is incomplete. */
  #complete({ rows: { table: id } }: RowsChange, poll: Poll, first: number): Promise<void> | null {
    if (poll.records.length === first || id.toString() === this.#options.signalTable) return null
    const table = this.#options.tableOf(id)
    if (table === null) return null
    const plan = this.#planOf(table)
    if (plan.fields.size === 0) return null
    const found: Incomplete[] = []
    for (let at = first; at < poll.records.length; at++) {
      const record = poll.records[at]
      const incomplete = record === undefined ? null : this.#incomplete(record, at, plan)
      if (incomplete !== null) found.push(incomplete)
    }
    return found.length === 0 ? null : this.#reselect(plan, found, poll)
  }

  #planOf(table: CapturedTable): ReselectPlan {
    let plan = this.#plans.get(table)
    if (plan === undefined) {
      const { options, binary, logger } = this.#options
      plan = reselectPlan(table, { options, binary })
      this.#plans.set(table, plan)
      if (plan.fields.size > 0 && plan.keyParts === null) {
        logger.warn(
          `Rows of ${table.table.id.toString()} cannot be read again: events do not contain the columns that identify a row, or mask them`,
        )
      }
    }
    return plan
  }

  #incomplete(record: SourceRecord, at: number, plan: ReselectPlan): Incomplete | null {
    const { value, key, valueSchema } = record
    if (valueSchema !== plan.table.schema.envelopeSchema) return null
    if (!(value instanceof Struct) || !(key instanceof Struct)) return null
    const op = fieldOf(value, 'op')
    const after = fieldOf(value, 'after')
    if (op === 'r' || !(after instanceof Struct)) return null
    const unknown = unknownFieldsOf(after)
    const fields = [...plan.fields.values()].filter(
      ({ index }) =>
        this.#isWanted(after.at(index), after.schema.fields[index]?.schema ?? null) ||
        (this.#options.options.unavailableValues && unknown.includes(index)),
    )
    return fields.length === 0 ? null : { at, record, value, after, key, fields, unknown }
  }

  #isWanted(value: ConnectValue, schema: Schema | null): boolean {
    const { nullValues, unavailableValues } = this.#options.options
    if (value === null) return nullValues
    if (!unavailableValues) return false
    if (value instanceof Uint8Array) return this.#options.unavailable.equals(value)
    if (typeof value !== 'string' && !(value instanceof EncodedText)) return false
    const text = value.toString()
    if (text === this.#unavailableText) return true
    const isJson = schema?.name === 'io.debezium.data.Json'
    return isJson && text === `{"${this.#unavailableText}":"${this.#unavailableText}"}`
  }

  async #reselect(plan: ReselectPlan, found: readonly Incomplete[], poll: Poll): Promise<void> {
    const id = plan.table.table.id.toString()
    for (const incomplete of found) {
      const sql = reselectSql(plan, incomplete.fields, incomplete)
      const values = sql === null ? null : await this.#read(id, sql, incomplete, poll.signal)
      if (values !== null) poll.records[incomplete.at] = completed(incomplete, values)
      else if (sql === null) this.#fail(connectorErrors.RESELECT_NO_KEY({ table: id }), incomplete)
    }
  }

  /** Null after a failure that only causes a warning. */
  async #read(
    id: string,
    sql: string,
    incomplete: Incomplete,
    signal: AbortSignal,
  ): Promise<readonly ConnectValue[] | null> {
    const targets = incomplete.fields.map(({ target }) => target)
    let row: readonly ConnectValue[] | null
    try {
      row = await this.#options.reader.read(sql, targets, `reading columns of a row of ${id} again`, signal)
    } catch (error) {
      if (error instanceof StoppedError) throw error
      const reason = toError(error).message
      const code = isRetriable(error) ? connectorErrors.RESELECT_INTERRUPTED : connectorErrors.RESELECT_FAILED
      this.#fail(code({ table: id, reason }, error), incomplete)
      return null
    }
    if (row === null) this.#fail(connectorErrors.RESELECT_NOT_FOUND({ table: id }), incomplete)
    return row
  }

  /** Throws, or logs the 1st, 10th, 100th … failure. An event with unknown values cannot keep them. */
  #fail(error: CodedError, { unknown }: Incomplete): void {
    if (this.#options.options.onError === 'fail' || unknown.length > 0) throw error
    this.#failures += 1
    if (!/^10*$/.test(String(this.#failures))) return
    this.#options.logger.warn(`${error.message} The event keeps its values (failures so far: ${this.#failures})`)
  }
}

function fieldOf(struct: Struct, name: string): ConnectValue {
  const field = struct.schema.field(name)
  return field === null ? null : struct.at(field.index)
}

/** The record with the values that were read, masked where the column is. */
function completed(incomplete: Incomplete, values: readonly ConnectValue[]): SourceRecord {
  const { record, value, after, fields, unknown } = incomplete
  const indexes = fields.map(({ index }) => index)
  const own = fields.map(({ mask }, i) => (mask === null ? (values[i] ?? null) : mask(values[i] ?? null)))
  const row = derive(replacement(after.schema, indexes), after, own)
  setUnknownFields(
    row,
    unknown.filter((index) => !indexes.includes(index)),
  )
  const field = value.schema.field('after')
  if (field === null) return record
  return { ...record, value: derive(replacement(value.schema, [field.index]), value, [row]) }
}
