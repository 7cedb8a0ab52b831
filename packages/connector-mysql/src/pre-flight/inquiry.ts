import { type MySqlConnection, serverErrno, type TextRow } from '@tributary/mysql'
import { CodedError } from '@tributary/support'

/** The outcome of a statement that the server may refuse. */
export interface Answer {
  /** Empty when the server refused the statement. */
  readonly rows: readonly TextRow[]
  /** The error number of the server; null when it did not refuse the statement. */
  readonly errno: number | null
}

/** Runs the statements of the checks one after the other, and reports which one is in flight. */
export class Inquiry {
  readonly #connection: MySqlConnection
  readonly #signal: AbortSignal
  #doing = 'connecting to it'

  /** @param signal aborts the statement in flight and closes the connection */
  constructor(connection: MySqlConnection, signal: AbortSignal) {
    this.#connection = connection
    this.#signal = signal
  }

  get connection(): MySqlConnection {
    return this.#connection
  }

  get signal(): AbortSignal {
    return this.#signal
  }

  /** The purpose of the statement in flight, as in “while listing the databases”. */
  get doing(): string {
    return this.#doing
  }

  query(sql: string, doing: string): Promise<readonly TextRow[]> {
    this.#doing = doing
    return this.#connection.query(sql, doing, { signal: this.#signal })
  }

  /** Runs a statement and returns a refusal as an answer. Throws when the connection is lost. */
  async ask(sql: string, doing: string): Promise<Answer> {
    try {
      return { rows: await this.query(sql, doing), errno: null }
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
      return { rows: [], errno: serverErrno(error) ?? 0 }
    }
  }
}
