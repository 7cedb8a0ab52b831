/** A column of a table. The fields have the names that they have in history and schema change records. */
export interface Column {
  readonly name: string
  /** Number of the type in java.sql.Types: 4 INTEGER, 12 VARCHAR, 2014 TIMESTAMP_WITH_TIMEZONE … */
  readonly jdbcType: number
  /** Number of the type in databases that number their types; else null. */
  readonly nativeType: number | null
  /** Upper case, with modifiers, such as `INT UNSIGNED`. */
  readonly typeName: string
  readonly typeExpression: string | null
  /** Null: the column has no characters. */
  readonly charsetName: string | null
  readonly length: number | null
  readonly scale: number | null
  /** From 1. */
  readonly position: number
  readonly optional: boolean
  readonly autoIncremented: boolean
  /** The database sets the value by itself, as with ON UPDATE. */
  readonly generated: boolean
  readonly comment: string | null
  /** True also when the default is NULL or an expression; `defaultValueExpression` is null then. */
  readonly hasDefaultValue: boolean
  /** The literal of the statement, without the quotes around it but with the escapes in it. */
  readonly defaultValueExpression: string | null
  /** Members of ENUM and SET in order, in quotes and with escapes. */
  readonly enumValues: readonly string[]
}
