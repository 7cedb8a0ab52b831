import { MySqlConnection } from '@tributary/mysql'
import { CodedError, silentLogger } from '@tributary/support'
import type { Row } from './change-event.ts'
import type { ExpectedEvent, RowChange } from './expectation.ts'
import { topicOf, type Names } from './names.ts'
import type { DatabaseAddress } from './options.ts'
import { sampleStatements, sampleTables, type SampleTable } from './sample.ts'

const CONNECT_TIMEOUT_MS = 10_000

/** The sample in the database, and what the database says of it: all that is expected of Tributary comes from here. */
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

  /** As the server says it: `9.7.0`, `10.11.19-MariaDB-…`. */
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

  /** The rows of a table by ascending key, as events have them. */
  async rows(table: SampleTable): Promise<readonly Row[]> {
    const pairs = Object.entries(table.columns).map(([column, expression]) => `'${column}', ${expression}`)
    // As text: the driver warns about every value of type JSON.
    const document = `CAST(JSON_OBJECT(${pairs.join(', ')}) AS CHAR)`
    const found = await this.#connection.query(`SELECT ${document} FROM ${table.name} ORDER BY ${table.keyColumn}`)
    return found.map(([text]) => JSON.parse(text ?? 'null') as Row)
  }

  /** What a snapshot of a table should give. */
  async snapshot(table: SampleTable): Promise<readonly ExpectedEvent[]> {
    const topic = topicOf(this.#names, table.name)
    const rows = await this.rows(table)
    return rows.map((after) => ({ topic, key: keyOf(table, after), op: 'r', before: null, after }))
  }

  /** Runs a statement; gives the rows that it changed, in the order of tables and keys. */
  async change(statement: string): Promise<readonly RowChange[]> {
    const before = await this.#everything()
    await this.#connection.query(statement)
    const after = await this.#everything()
    const changes: RowChange[] = []
    for (const id of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(id), after.get(id)]
      if (was !== undefined && is !== undefined && JSON.stringify(was.row) === JSON.stringify(is.row)) continue
      const { topic, key } = (was ?? is) as Stored
      changes.push({ topic, key, before: was?.row ?? null, after: is?.row ?? null })
    }
    return changes
  }

  /** Runs a statement that the server should refuse; gives its words, or null when it did not. */
  async refusal(statement: string): Promise<string | null> {
    try {
      await this.#connection.query(statement)
      return null
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'MYSQL_QUERY_FAILED') throw error
      const { errno, sqlState, message } = error.cause as Error & { errno: number; sqlState: string }
      return `ERROR ${errno} (${sqlState}): ${message}`
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
