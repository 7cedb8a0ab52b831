import type { Query } from './catalogue.ts'

/** A statement as the server wrote it to its binlog. */
export interface LoggedStatement {
  readonly database: string | null
  readonly sql: string
}

/** Follows the binlog of a server through SHOW BINLOG EVENTS. */
export class BinlogStatements {
  readonly #query: Query
  #file = ''
  #position = 0

  constructor(query: Query) {
    this.#query = query
  }

  /** Starts after the last event of the binlog. */
  async start(): Promise<void> {
    const logs = await this.#query('SHOW BINARY LOGS')
    const last = logs.at(-1)
    this.#file = String(last?.['Log_name'])
    this.#position = Number(last?.['File_size'])
  }

  /** Statements since the last call. */
  async next(): Promise<LoggedStatement[]> {
    const events = await this.#query(`SHOW BINLOG EVENTS IN '${this.#file}' FROM ${this.#position}`)
    const last = events.at(-1)
    if (last !== undefined) this.#position = Number(last['End_log_pos'])
    return events.filter((event) => event['Event_type'] === 'Query').map((event) => parseInfo(String(event['Info'])))
  }
}

/** The statement between ``use `db`;`` and the comment with the transaction number. */
function parseInfo(info: string): LoggedStatement {
  const use = /^use `((?:[^`]|``)+)`; /.exec(info)
  const sql = info.slice(use?.[0].length ?? 0).replace(/ \/\* xid=\d+ \*\/$/, '')
  return { database: use?.[1]?.replaceAll('``', '`') ?? null, sql }
}
