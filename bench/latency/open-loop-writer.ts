import { parentPort, workerData } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { present, silentLogger } from '@tributary/support'

/** The data passed to the thread. */
export interface WriterPlan {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly table: string
  readonly transactions: number
  readonly perSecond: number
}

/**
 * The messages of the thread: first the time of its start (milliseconds since 1970), at the end the time of each
 * acknowledged commit.
 */
export type WriterReport =
  | { readonly tag: 'started'; readonly atMs: number }
  | { readonly tag: 'finished'; readonly committedMs: Float64Array }

/** Enough for a server that commits within milliseconds, so that no transaction waits for a previous one. */
const CONNECTIONS = 16
const AHEAD_MS = 200

/**
 * Writes in an open loop: transaction `i` is due at `begin + i / rate`, whether or not the previous ones are done. A
 * stall therefore counts for every transaction that is due in it, which avoids coordinated omission. Runs in its own
 * thread, so that the consumer does not delay it.
 */
async function write({ table, transactions, perSecond, ...address }: WriterPlan): Promise<void> {
  const options: MySqlConnectionOptions = {
    ...address,
    password: '',
    tls: { mode: 'disabled' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  }
  const connections: MySqlConnection[] = []
  for (let i = 0; i < CONNECTIONS; i++) connections.push(await MySqlConnection.open(options))
  const committedMs = new Float64Array(transactions)
  const beginMs = nowMs() + AHEAD_MS
  report({ tag: 'started', atMs: beginMs })
  const pending = new Set<Promise<void>>()
  for (let next = 0; next < transactions;) {
    const due = Math.min(transactions, Math.floor(((nowMs() - beginMs) * perSecond) / 1000) + 1)
    for (; next < due; next++) {
      const connection = present(connections[next % CONNECTIONS], 'a connection')
      const inserted = insert({ connection, table, id: next, committedMs })
      pending.add(inserted)
      void inserted.then(() => pending.delete(inserted))
    }
    await sleep(1)
  }
  await Promise.all(pending)
  report({ tag: 'finished', committedMs })
  for (const connection of connections) await connection.close()
}

interface Insert {
  readonly connection: MySqlConnection
  readonly table: string
  readonly id: number
  readonly committedMs: Float64Array
}

async function insert({ connection, table, id, committedMs }: Insert): Promise<void> {
  await connection.query(`INSERT INTO ${table} VALUES (${id}, ${id}, 'first', 'last', 'user@example.com')`)
  committedMs[id] = nowMs()
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

function report(message: WriterReport): void {
  parentPort?.postMessage(message)
}

await write(workerData as WriterPlan)
