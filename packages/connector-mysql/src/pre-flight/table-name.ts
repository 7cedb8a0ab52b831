/** A table, or with null all of a database. */
export interface TableName {
  readonly database: string
  readonly table: string | null
}
