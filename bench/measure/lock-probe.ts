import type { Database } from '@tributary/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { hidden } from '../load/numbers.ts'

const DATABASE = 'lock_probe'
const EVERY_MS = 5

/**
 * Measures how long a lock blocks writers: updates a row repeatedly on a connection of its own and records how long
 * each update takes.
 */
export class LockProbe {
  readonly #stop = new AbortController()
  readonly #running: Promise<number>

  private constructor(server: Database) {
    this.#running = this.#probe(server)
  }

  static async start(server: Database): Promise<LockProbe> {
    await hidden(server, [
      `CREATE DATABASE IF NOT EXISTS ${DATABASE}`,
      `CREATE TABLE IF NOT EXISTS ${DATABASE}.probe (id INT NOT NULL PRIMARY KEY, n INT NOT NULL)`,
      `REPLACE INTO ${DATABASE}.probe VALUES (1, 0)`,
    ])
    return new LockProbe(server)
  }

  /** Stops the probe and returns the longest time of a write in milliseconds. */
  longestMs(): Promise<number> {
    this.#stop.abort()
    return this.#running
  }

  async #probe(server: Database): Promise<number> {
    const connection = await server.connect()
    try {
      await connection.query('SET SESSION sql_log_bin = 0')
      let longestMs = 0
      while (!this.#stop.signal.aborted) {
        const begin = performance.now()
        await connection.query(`UPDATE ${DATABASE}.probe SET n = n + 1`)
        longestMs = Math.max(longestMs, performance.now() - begin)
        await sleep(EVERY_MS)
      }
      return longestMs
    } finally {
      await connection.end()
    }
  }
}
