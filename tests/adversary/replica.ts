import { type Database, databaseAccounts, type DatabaseServer, startMariaDb, startMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'
import type { Row } from './row-image.ts'
import { quoted } from './table-names.ts'

/**
 * A second server of the same version that replicates from the first: what the server's own reader of the binlog makes
 * of it.
 */
export class Replica implements AsyncDisposable {
  readonly #source: Database
  readonly #server: DatabaseServer

  private constructor(source: Database, server: DatabaseServer) {
    this.#source = source
    this.#server = server
  }

  static async start(source: Database): Promise<Replica> {
    return new Replica(source, await (source.flavor === 'mariadb' ? startMariaDb() : startMySql()))
  }

  /** Replicates what the source writes from now on. */
  async follow(): Promise<void> {
    const source = this.#source
    const isMariaDb = source.flavor === 'mariadb'
    const { file, position } = await positionOf(source)
    const { user, password } = databaseAccounts.root
    const term = isMariaDb ? 'MASTER' : 'SOURCE'
    const options = [
      ['HOST', `'${source.host}'`],
      ['PORT', source.port],
      ['USER', `'${user}'`],
      ['PASSWORD', `'${password}'`],
      ['LOG_FILE', `'${file}'`],
      ['LOG_POS', position],
      ['CONNECT_RETRY', 1],
      ...(isMariaDb ? [] : [['RETRY_COUNT', 3600]]),
    ].map(([name, value]) => `${term}_${name}=${value}`)
    if (!isMariaDb) options.push('GET_SOURCE_PUBLIC_KEY=1')
    await this.leave()
    await this.#server.query(`CHANGE ${isMariaDb ? 'MASTER' : 'REPLICATION SOURCE'} TO ${options.join(', ')}`)
    await this.#server.query(isMariaDb ? 'START SLAVE' : 'START REPLICA')
  }

  /** Replicates nothing from now on. */
  async leave(): Promise<void> {
    await this.#server.query(this.#source.flavor === 'mariadb' ? 'STOP SLAVE' : 'STOP REPLICA')
  }

  /** Waits until it has applied all that the source has written. */
  async catchUp(): Promise<void> {
    const { file, position } = await positionOf(this.#source)
    const wait = this.#source.flavor === 'mariadb' ? 'MASTER_POS_WAIT' : 'SOURCE_POS_WAIT'
    const [row] = await this.#server.query(`SELECT ${wait}('${file}', ${position}, ${WAIT_SECONDS}) AS waited`)
    const status = await this.#server.query(
      this.#source.flavor === 'mariadb' ? 'SHOW SLAVE STATUS' : 'SHOW REPLICA STATUS',
    )
    const isThere = row?.['waited'] !== null && Number(row?.['waited']) >= 0
    assert.ok(isThere, `the replica does not reach ${file}:${position}: ${JSON.stringify(status)}`)
  }

  async rowsOf(schema: string, table: string): Promise<readonly Row[]> {
    const rows = await this.#server.query(`SELECT * FROM ${schema}.${quoted(table)} ORDER BY id`)
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]()
  }
}

const WAIT_SECONDS = 60

async function positionOf(database: Database): Promise<{ readonly file: string; readonly position: number }> {
  const [row] = await database.query(database.flavor === 'mariadb' ? 'SHOW MASTER STATUS' : 'SHOW BINARY LOG STATUS')
  return { file: String(row?.['File']), position: Number(row?.['Position']) }
}

/**
 * How the last records of a table's topic differ from its rows; null: in nothing. All rows have got negative ids at the
 * end of the history, so that each had an event under the last definition.
 */
export function stateDifference(state: readonly Row[], rows: readonly Row[]): string | null {
  const records = new Set(state.filter(({ id }) => Number(id) < 0).map((row) => JSON.stringify(row)))
  for (const row of rows.map((each) => JSON.stringify(each)))
    if (!records.delete(row)) return `the replica has ${row}, no key has that as its last record`
  const [record] = records
  return record === undefined ? null : `a last record is ${record}, the replica has no such row`
}
