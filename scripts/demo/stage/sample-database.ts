import { MySqlConnection } from '@tributary/mysql'
import { assert, CodedError, present, silentLogger } from '@tributary/support'
import { isRow, type Row } from './change-event.ts'
import type { ExpectedEvent, RowChange } from './expectation.ts'
import { topicOf, type Names } from './names.ts'
import type { DatabaseAddress } from './options.ts'
import { sampleStatements, sampleTables, type SampleTable } from './sample.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** The sample database. It provides all expectations: what the database itself returns, not what Tributary reads. */
export class SampleDatabase implements AsyncDisposable {
  readonly #connection: MySqlConnection
  readonly #names: Names

  private constructor(connection: MySqlConnection, names: Names) {
    this.#connection = connection
    this.#names = names
  }

  static async connect(address: DatabaseAddress, names: Names, signal: AbortSignal): Promise<SampleDatabase> {
    const tls = { mode: 'preferred' } as const
    const options = { ...address, tls, connectTimeoutMs: CONNECT_TIMEOUT_MS, logger: silentLogger }
    return new SampleDatabase(await MySqlConnection.open(options, signal), names)
  }

  /** Returns the server's version as it reports it: `9.7.0`, `10.11.19-MariaDB-…`. */
  async version(): Promise<string> {
    const [row] = await this.#connection.query('SELECT VERSION()')
    return row?.[0] ?? ''
  }

  async create(): Promise<void> {
    const { database } = this.#names
    await this.#connection.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
    await this.#connection.query(`USE ${database}`)
    for (const statement of sampleStatements()) await this.#connection.query(statement)
  }

  async drop(): Promise<void> {
    await this.#connection.query(`DROP DATABASE IF EXISTS ${this.#names.database}`)
  }

  /** Returns the rows of a table in ascending order of their keys, with the values that events contain. */
  async rows(table: SampleTable): Promise<readonly Row[]> {
    const pairs = Object.entries(table.columns).map(([column, expression]) => `'${column}', ${expression}`)
    // Cast to text, because the driver logs a warning for each JSON value.
    const document = `CAST(JSON_OBJECT(${pairs.join(', ')}) AS CHAR)`
    const found = await this.#connection.query(`SELECT ${document} FROM ${table.name} ORDER BY ${table.keyColumn}`)
    return found.map(([text]) => {
      const row: unknown = JSON.parse(text ?? 'null')
      assert(isRow(row), 'JSON_OBJECT returns an object')
      return row
    })
  }

  /** Returns the events that a snapshot of a table must write. */
  async snapshot(table: SampleTable): Promise<readonly ExpectedEvent[]> {
    const topic = topicOf(this.#names, table.name)
    const rows = await this.rows(table)
    return rows.map((after) => ({ topic, key: keyOf(table, after), op: 'r', before: null, after }))
  }

  /** Runs a statement and returns the rows that it changed, in the order of tables and keys. */
  async change(statement: string): Promise<readonly RowChange[]> {
    const before = await this.#everything()
    await this.#connection.query(statement)
    const after = await this.#everything()
    const changes: RowChange[] = []
    for (const id of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(id), after.get(id)]
      if (was !== undefined && is !== undefined && JSON.stringify(was.row) === JSON.stringify(is.row)) continue
      const { topic, key } = present(was ?? is, 'the row before or after')
      changes.push({ topic, key, before: was?.row ?? null, after: is?.row ?? null })
    }
    return changes
  }

  /**
   * Runs a statement that the server must refuse. Returns the server's message; null when it accepted the statement.
   */
  async refusal(statement: string): Promise<string | null> {
    try {
      await this.#connection.query(statement)
      return null
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
      assert(error.cause instanceof Error, 'a failed query has a cause')
      const { errno = '', sqlState = '', message }: Error & { errno?: unknown; sqlState?: unknown } = error.cause
      return `ERROR ${String(errno)} (${String(sqlState)}): ${message}`
    }
  }

  async #everything(): Promise<ReadonlyMap<string, Stored>> {
    const all = new Map<string, Stored>()
    for (const table of sampleTables) {
      for (const row of await this.rows(table)) {
        const key = keyOf(table, row)
        all.set(`${table.name} ${JSON.stringify(key)}`, { topic: topicOf(this.#names, table.name), key, row })
      }
    }
    return all
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }
}

interface Stored {
  readonly topic: string
  readonly key: Row
  readonly row: Row
}

function keyOf({ keyColumn }: SampleTable, row: Row): Row {
  return { [keyColumn]: row[keyColumn] }
}
