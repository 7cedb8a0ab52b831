import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, DatabaseConnection } from '@tributary/testkit'

/** For this time two workers had a connection of the same connector through which the server sent its binlog. */
export interface Overlap {
  readonly user: string
  /** Of the workers. */
  readonly addresses: readonly string[]
  readonly seconds: number
}

/**
 * Who reads the binlog, according to the database server and the kernel. Each connector has a user of its own, and each
 * worker an address. The server notices only when it sends the next event that a reader has closed its connection; the
 * kernel knows at once.
 */
export class DumpWatch implements AsyncDisposable {
  /** Since the last `take`, by user and addresses. */
  #overlaps = new Map<string, Overlap & { readonly beganMs: number }>()
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>

  constructor(database: Database, everyMs = 50) {
    this.#loop = this.#watch(database, everyMs)
    this.#loop.catch(() => undefined)
  }

  /** What was found since the last call. */
  take(): readonly Overlap[] {
    const found = [...this.#overlaps.values()]
    this.#overlaps = new Map()
    return found
  }

  async #watch(database: Database, everyMs: number): Promise<void> {
    const connection = await database.connect()
    try {
      while (!this.#stop.signal.aborted) {
        await this.#look(connection, database.port)
        await sleep(everyMs)
      }
    } finally {
      await connection.end()
    }
  }

  async #look(connection: DatabaseConnection, port: number): Promise<void> {
    // A thread that the server is ending has the command Killed.
    const [rows] = await connection.query('SHOW PROCESSLIST')
    const open = openPeers(port)
    const addresses = new Map<string, Set<string>>()
    for (const { User, Host, Command } of rows as { User: string; Host: string; Command: string }[]) {
      if (!Command.startsWith('Binlog Dump') || !open.has(Host)) continue
      const address = Host.replace(/:\d+$/, '')
      addresses.set(User, (addresses.get(User) ?? new Set()).add(address))
    }
    const nowMs = performance.now()
    for (const [user, readers] of addresses) {
      if (readers.size < 2) continue
      const key = [user, ...[...readers].toSorted()].join(' ')
      const beganMs = this.#overlaps.get(key)?.beganMs ?? nowMs
      this.#overlaps.set(key, { user, addresses: [...readers], beganMs, seconds: (nowMs - beganMs) / 1000 })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#loop
  }
}

/**
 * The peers (`address:port`) of the established connections of a server on this machine.
 *
 *     sl local_address rem_address st …
 *      0: 0100007F:1F90 0B19C6C6:C350 01 …      little-endian address, port, state 1: established (8: closed by the peer)
 */
function openPeers(port: number): ReadonlySet<string> {
  const rows = readFileSync('/proc/net/tcp', 'utf8').trimEnd().split('\n').slice(1)
  const peers = new Set<string>()
  for (const row of rows) {
    const [, local = '', remote = '', state] = row.trim().split(/\s+/)
    if (state !== '01' || portOf(local) !== port) continue
    const address = Buffer.from(remote.slice(0, 8), 'hex').reverse()
    peers.add(`${address.join('.')}:${portOf(remote)}`)
  }
  return peers
}

function portOf(socket: string): number {
  return Number.parseInt(socket.split(':')[1] ?? '', 16)
}
