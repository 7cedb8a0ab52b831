import type { TableId } from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions, serverErrno } from '@tributary/mysql'
import { doneOr } from '@tributary/support'
import { quoted } from './quoted-name.ts'

/** Reads table definitions from the server beside the stream: on a connection of its own, opened when needed. */
export class SchemaReader {
  readonly #options: MySqlConnectionOptions

  constructor(options: MySqlConnectionOptions) {
    this.#options = options
  }

  /** SHOW CREATE TABLE; null when there is no such table. */
  async createStatement({ database, table }: TableId, signal?: AbortSignal): Promise<string | null> {
    await using connection = await MySqlConnection.open(this.#options, signal)
    try {
      // It may wait for a metadata lock, for hours: a stop closes the connection.
      const reading = connection.query(
        `SHOW CREATE TABLE ${quoted(database)}.${quoted(table)}`,
        `reading the definition of ${database}.${table}`,
      )
      const [row] = await doneOr(reading, signal)
      return row?.[1] ?? null
    } catch (error) {
      if (NO_SUCH_TABLE.has(serverErrno(error))) return null
      throw error
    }
  }
}

/** ER_BAD_DB_ERROR, ER_NO_SUCH_TABLE */
const NO_SUCH_TABLE: ReadonlySet<number | null> = new Set([1049, 1146])
