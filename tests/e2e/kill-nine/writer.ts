import type { Database, DatabaseConnection, SeededRandom } from '@tributary/testkit'

/** The current content of a row: its version grows by one with each change, a delete included. */
export interface RowState {
  readonly version: number
  readonly isDeleted: boolean
}

/**
 * Changes rows of one table at random, and knows the content of every row. Each change of a key has the next version:
 * an insert and an update write it into the row, a delete uses one up. So the events of a key, in order, have
 * consecutive versions.
 */
export class Writer {
  readonly #table: string
  readonly #ledger: string
  readonly #random: SeededRandom
  #connection: DatabaseConnection
  readonly rows: Map<number, RowState> = new Map()
  /** Rows inserted, updated and deleted so far. */
  changes = 0
  #nextId: number
  /** Number of the current transaction, and the rows before it. */
  #transaction = 0
  #before: (readonly [number, RowState | undefined])[] = []

  private constructor(schema: string, connection: DatabaseConnection, random: SeededRandom, firstRows: number) {
    this.#table = tableOf(schema)
    this.#ledger = ledgerOf(schema)
    this.#connection = connection
    this.#random = random
    this.#nextId = firstRows + 1
  }

  /** Creates the table with some rows in it. */
  static async open(database: Database, schema: string, random: SeededRandom, firstRows: number): Promise<Writer> {
    await database.query(`
      CREATE DATABASE ${schema};
      CREATE TABLE ${tableOf(schema)} (id INT NOT NULL PRIMARY KEY, version INT NOT NULL, payload VARCHAR(60) NOT NULL);
      CREATE DATABASE ${schema}_ledger;
      CREATE TABLE ${ledgerOf(schema)} (number INT NOT NULL);
      INSERT INTO ${ledgerOf(schema)} VALUES (0)`)
    const writer = new Writer(schema, await database.connect(), random, firstRows)
    for (let from = 1; from <= firstRows; from += INSERT_ROWS) {
      await writer.#insert(Array.from({ length: Math.min(INSERT_ROWS, firstRows - from + 1) }, (_, i) => from + i))
    }
    return writer
  }

  /**
   * One transaction of a few changes, as an application makes it. Without deletes while a snapshot can still restart: a
   * key that did not exist at the restart would return with a version that cannot be checked.
   */
  async small(hasDeletes = true): Promise<void> {
    await this.#begin()
    const count = this.#random.integer(1, 30)
    await this.#insert(Array.from({ length: count }, () => this.#nextId++))
    await this.#update(this.#pick(count))
    if (hasDeletes && this.#random.integer(0, 2) === 0) await this.#delete(this.#pick(this.#random.integer(1, 5)))
    if (hasDeletes && this.#random.integer(0, 4) === 0) await this.#insertAgain()
    await this.#commit()
  }

  /** One transaction that changes that many rows. */
  async large(rows: number): Promise<void> {
    await this.#begin()
    const ids = [...this.rows].filter(([, { isDeleted }]) => !isDeleted).map(([id]) => id)
    for (let from = 0; from < Math.min(rows, ids.length); from += INSERT_ROWS) {
      await this.#update(ids.slice(from, Math.min(from + INSERT_ROWS, rows)))
    }
    await this.#commit()
  }

  /** Changes the table's definition. */
  async alter(clause: string): Promise<void> {
    await this.#connection.query(`ALTER TABLE ${this.#table} ${clause}`)
  }

  /**
   * Called after a transaction whose connection was lost: opens another connection and finds out whether the server has
   * committed it.
   */
  async recover(database: Database): Promise<void> {
    this.#connection.destroy()
    this.#connection = await database.connect()
    const [row] = await database.query(`SELECT number FROM ${this.#ledger}`)
    if (row?.['number'] === this.#transaction) return
    this.changes -= this.#before.length
    for (const [id, state] of this.#before.toReversed()) {
      if (state === undefined) this.rows.delete(id)
      else this.rows.set(id, state)
    }
  }

  async #begin(): Promise<void> {
    this.#before = []
    this.#transaction += 1
    await this.#connection.beginTransaction()
  }

  /** The number becomes visible with the transaction, and only then. */
  async #commit(): Promise<void> {
    await this.#connection.query(`UPDATE ${this.#ledger} SET number = ${this.#transaction}`)
    await this.#connection.commit()
  }

  #pick(count: number): number[] {
    const picked = new Set<number>()
    for (let tries = 0; picked.size < count && tries < count * 4; tries++) {
      const id = this.#random.integer(1, this.#nextId - 1)
      if (this.rows.get(id)?.isDeleted === false) picked.add(id)
    }
    return [...picked]
  }

  async #insert(ids: readonly number[]): Promise<void> {
    const values = ids.map((id) => {
      const version = (this.rows.get(id)?.version ?? 0) + 1
      this.#note(id, { version, isDeleted: false })
      return `(${id}, ${version}, 'row ${id} version ${version}')`
    })
    await this.#connection.query(`INSERT INTO ${this.#table} (id, version, payload) VALUES ${values.join(', ')}`)
  }

  async #insertAgain(): Promise<void> {
    const [gone] = [...this.rows].filter(([, { isDeleted }]) => isDeleted)
    if (gone !== undefined) await this.#insert([gone[0]])
  }

  async #update(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    for (const id of ids) this.#note(id, { version: this.#versionOf(id) + 1, isDeleted: false })
    await this.#connection.query(
      `UPDATE ${this.#table} SET version = version + 1, payload = CONCAT('row ', id, ' version ', version) WHERE id IN (${ids.join(',')})`,
    )
  }

  async #delete(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    for (const id of ids) this.#note(id, { version: this.#versionOf(id) + 1, isDeleted: true })
    await this.#connection.query(`DELETE FROM ${this.#table} WHERE id IN (${ids.join(',')})`)
  }

  #versionOf(id: number): number {
    return this.rows.get(id)?.version ?? 0
  }

  #note(id: number, state: RowState): void {
    this.#before.push([id, this.rows.get(id)])
    this.rows.set(id, state)
    this.changes += 1
  }

  async close(): Promise<void> {
    await this.#connection.end()
  }
}

const INSERT_ROWS = 1000

function tableOf(schema: string): string {
  return `${schema}.items`
}

/** In a database of its own, which no connector captures. */
function ledgerOf(schema: string): string {
  return `${schema}_ledger.transactions`
}
