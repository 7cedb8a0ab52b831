import type { ConnectValue, Schema, SchemaOptions } from '@tributary/connect-api'
import type { ColumnTarget } from '@tributary/mysql'

/** How a column appears in events: its schema, what its values become, and how a snapshot selects it without loss. */
export interface ColumnMapping {
  readonly schema: Schema
  /** Called by the binlog's and by the snapshot's decoder alike. */
  readonly target: ColumnTarget<ConnectValue>
  /** `plain`: the column itself. `double`: with all digits. `integer`: ENUM and SET as numbers. */
  readonly select: 'plain' | 'double' | 'integer'
}

/** A kind of mapping before the column's own parts: nullability and default are added to its schema. */
export interface TypeMapping {
  /** The schema, given the parts that every column has. */
  readonly schema: (common: SchemaOptions) => Schema
  readonly target: (fallback: ConnectValue) => ColumnTarget<ConnectValue>
  readonly select?: ColumnMapping['select']
  /** Stands for a value that cannot be represented (a zero date) in a column that allows no NULL. */
  readonly fallback: ConnectValue
  /** The value of a DEFAULT literal; undefined when there is none that can be said. */
  readonly parseDefault: (literal: string) => ConnectValue | undefined
  /** The value of a DEFAULT literal that is given in hexadecimal; absent for types that have none such. */
  readonly bytesDefault?: (bytes: Buffer) => ConnectValue
}
