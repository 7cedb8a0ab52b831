import type { ConnectValue, Schema, SchemaOptions } from '@tributary/connect-api'
import type { ColumnTarget } from '@tributary/mysql'

/**
 * How a column appears in events: its schema, the conversion of its values, and how a snapshot selects it without loss.
 */
export interface ColumnMapping {
  readonly schema: Schema
  /** Receives values from the decoders of the binlog and of the snapshot. */
  readonly target: ColumnTarget<ConnectValue>
  /** `plain`: the column itself. `double`: with all digits. `integer`: ENUM and SET as numbers. */
  readonly select: 'plain' | 'double' | 'integer'
  /** Replaces NULL, which no target receives; absent: NULL stays. */
  readonly nullValue?: ConnectValue
  /** Different values may have the same form. Absent: they do not, or only as in Debezium without converters. */
  readonly isLossy?: boolean
  /** Stands for a value that the binlog does not have; absent: the type has no value that cannot be a real one. */
  readonly unavailable?: ConnectValue
}

/** A mapping without the facts of the single column: nullability and default are added to its schema. */
export interface TypeMapping {
  /** Returns the schema, given the options that every column has. */
  readonly schema: (common: SchemaOptions) => Schema
  readonly target: (fallback: ConnectValue) => ColumnTarget<ConnectValue>
  readonly select?: ColumnMapping['select']
  /** As in `ColumnMapping`. */
  readonly isLossy?: boolean
  /** Replaces a value that cannot be represented (a zero date) in a NOT NULL column. */
  readonly fallback: ConnectValue
  /** The value of a DEFAULT literal; undefined when a schema cannot represent it. */
  readonly parseDefault: (literal: string) => ConnectValue | undefined
  /** The value of a hexadecimal DEFAULT literal; absent for types that cannot have one. */
  readonly bytesDefault?: (bytes: Buffer) => ConnectValue
  /** As in `ColumnMapping`. */
  readonly unavailable?: ConnectValue
}
