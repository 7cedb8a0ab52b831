import { parentPort, workerData } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { present, silentLogger } from '@tributary/support'

/** What the thread is given. */
export interface WriterPlan {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly table: string
  readonly transactions: number
  readonly perSecond: number
}

/** What it tells: first when it begins (milliseconds since 1970), at last when each commit was acknowledged. */
export type WriterReport =
  | { readonly tag: 'begins'; readonly atMs: number }
  | { readonly tag: 'ended'; readonly committedMs: Float64Array }

/** Enough for a server that commits in some milliseconds: a transaction waits for none before it. */
const CONNECTIONS = 16
const AHEAD_MS = 200

/**
 * An open loop: transaction `i` is due at `begin + i / rate`, whatever became of those before it. A stall thus counts for every
 * transaction that was due in it (coordinated omission). A thread of its own, so that the consumer does not delay it.
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
  report({ tag: 'begins', atMs: beginMs })
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
  report({ tag: 'ended', committedMs })
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
