import { type MySqlConnection, serverErrno, type TextRow } from '@tributary/mysql'
import { CodedError } from '@tributary/support'

/** What became of a statement that the server may refuse. */
export interface Answer {
  /** None when it was refused. */
  readonly rows: readonly TextRow[]
  /** The server's number of the error; null: it was not refused. */
  readonly errno: number | null
}

/** Questions to a server, one after the other. It is known which one is waited for. */
export class Inquiry {
  readonly #connection: MySqlConnection
  #doing = 'connecting to it'

  constructor(connection: MySqlConnection) {
    this.#connection = connection
  }

  get connection(): MySqlConnection {
    return this.#connection
  }

  /** What is waited for, as in “while listing the databases”. */
  get doing(): string {
    return this.#doing
  }

  query(sql: string, doing: string): Promise<readonly TextRow[]> {
    this.#doing = doing
    return this.#connection.query(sql, doing)
  }

  /** A refusal is an answer, too; that the connection is lost is not. */
  async ask(sql: string, doing: string): Promise<Answer> {
    try {
      return { rows: await this.query(sql, doing), errno: null }
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
      return { rows: [], errno: serverErrno(error) ?? 0 }
    }
  }
}
