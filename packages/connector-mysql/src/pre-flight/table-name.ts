/** A table, or a whole database when `table` is null. */
export interface TableName {
  readonly database: string
  readonly table: string | null
}
