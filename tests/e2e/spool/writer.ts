import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseConnection, DatabaseServer } from '@tributary/testkit'

export const SCHEMA = 'spooled'
/** Keys that are inserted, and then updated in turn. */
const KEYS = 500
const BATCHES_PER_SECOND = 20

/** Writes transactions of one row each: `n` of a key counts its transactions from 1. */
export class Writer implements AsyncDisposable {
  transactions = 0
  readonly #database: DatabaseServer
  readonly #perSecond: number
  readonly #counts = new Map<number, number>()
  #connection: DatabaseConnection

  private constructor(database: DatabaseServer, perSecond: number, connection: DatabaseConnection) {
    this.#database = database
    this.#perSecond = perSecond
    this.#connection = connection
  }

  static async open(database: DatabaseServer, perSecond: number): Promise<Writer> {
    await database.query(`CREATE DATABASE ${SCHEMA}; CREATE TABLE ${SCHEMA}.t (id INT PRIMARY KEY, n INT NOT NULL)`)
    return new Writer(database, perSecond, await connect(database))
  }

  /** Transactions by key. */
  get counts(): ReadonlyMap<number, number> {
    return this.#counts
  }

  async write(seconds: number): Promise<void> {
    const batches = Math.max(1, Math.round(seconds * BATCHES_PER_SECOND))
    const startMs = performance.now()
    for (let batch = 1; batch <= batches; batch++) {
      const statements = Array.from({ length: this.#perSecond / BATCHES_PER_SECOND }, () => this.#next())
      await this.#connection.query(statements.join(';'))
      await sleep(Math.max(0, startMs + (batch * 1000) / BATCHES_PER_SECOND - performance.now()))
    }
  }

  #next(): string {
    const key = this.transactions % KEYS
    this.transactions += 1
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    return count === 1
      ? `INSERT INTO ${SCHEMA}.t VALUES (${key}, 1)`
      : `UPDATE ${SCHEMA}.t SET n = n + 1 WHERE id = ${key}`
  }

  /** After a restart of the server. */
  async reconnect(): Promise<void> {
    this.#connection.destroy()
    this.#connection = await connect(this.#database)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.destroy()
    await Promise.resolve()
  }
}

async function connect(database: DatabaseServer): Promise<DatabaseConnection> {
  const connection = await database.connect(undefined, { multipleStatements: true })
  connection.on('error', () => undefined)
  // The test measures what the connector does with the transactions, not how fast the disk is.
  await connection.query('SET autocommit = 1')
  return connection
}
