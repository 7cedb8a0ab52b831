/**
 * The statement that the current rows of a transaction are of (`include.query`), as far as the binlog has it.
 *
 *     STATEMENT · TABLE_MAP … · ROWS … · STATEMENT · TABLE_MAP … · ROWS … · TABLE_MAP … · ROWS … · XID
 *     └─────────── one ──────────────┘ └─────────── another ────────────┘ └─ not logged ──────┘
 */
export class RowsQuery {
  #sql: string | null = null
  #hasRows = false

  /** The binlog names the statement of the rows that follow. */
  begin(sql: string): void {
    this.#sql = sql
    this.#hasRows = false
  }

  /** The map of a table. All maps of a statement are before its rows: after rows, another statement begins. */
  meetMap(): void {
    if (this.#hasRows) this.clear()
  }

  /** The statement of a rows event; null when the session did not log it. */
  ofRows(): string | null {
    this.#hasRows = true
    return this.#sql
  }

  /** A transaction begins or ends. */
  clear(): void {
    this.#sql = null
    this.#hasRows = false
  }
}
