/** A column of a row, with the literal of its value; null: the binlog does not have the value. */
export interface ShownColumn {
  readonly name: string
  readonly literal: string | null
  /** Name of the column's form in records, or its type: `string`, `io.debezium.data.Json`. */
  readonly form: string
}

/** A changed row, as people and statements need it. */
export interface RowEvent {
  readonly tag: 'row'
  readonly op: 'r' | 'c' | 'u' | 'd' | 't'
  readonly database: string
  readonly table: string
  /** Of an update or a delete whose row the binlog has in part only (binlog_row_image=MINIMAL): the columns of the key. */
  readonly before: readonly ShownColumn[] | null
  readonly after: readonly ShownColumn[] | null
  /** Names of the columns of the key; null: the table has none. */
  readonly key: readonly string[] | null
  /** `binlog.000003:4096`; null in a snapshot. */
  readonly place: string | null
  /** Seconds since 1970; null in a snapshot. */
  readonly seconds: number | null
}

/** A statement that changed tables. */
export interface StatementEvent {
  readonly tag: 'statement'
  readonly database: string
  readonly sql: string
  /** The snapshot made it up. */
  readonly isOfSnapshot: boolean
  /** Assignments of SET: the settings of its session; null: unknown. */
  readonly session: string | null
  /** When it began, in seconds since 1970; null in a snapshot. */
  readonly seconds: number | null
  readonly place: string | null
}

export function isOperation(op: string): op is RowEvent['op'] {
  return op === 'r' || op === 'c' || op === 'u' || op === 'd' || op === 't'
}
