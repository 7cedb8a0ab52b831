import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { sideBySide } from '@tributary/support'
import { openSession } from './snapshot-session.ts'

/** The connections that read rows: at least one. */
export type Readers = readonly [MySqlConnection, ...MySqlConnection[]]

export interface SnapshotConnectionsOptions {
  readonly connection: MySqlConnectionOptions
  /** The number of connections that read rows. */
  readonly readers: number
  /** Whether one more is opened, which holds the lock. */
  readonly locks: boolean
}

/** The connections of a snapshot. Its owner closes those of `opened` when it cannot begin. */
export class SnapshotConnections {
  readonly opened: MySqlConnection[] = []
  readonly #options: SnapshotConnectionsOptions

  constructor(options: SnapshotConnectionsOptions) {
    this.#options = options
  }

  /** Called before the lock is acquired: under it a login would block writes for longer. */
  open(signal: AbortSignal): Promise<[readers: Readers, lock: MySqlConnection | null]> {
    return sideBySide([(limit) => this.#openReaders(limit), (limit) => this.#openLock(limit)] as const, signal)
  }

  async #openReaders(signal: AbortSignal): Promise<Readers> {
    const { connection, readers: count } = this.#options
    const open = async (): Promise<MySqlConnection> => {
      const session = await openSession(connection, signal)
      this.opened.push(session)
      return session
    }
    const readers: [MySqlConnection, ...MySqlConnection[]] = [await open()]
    while (readers.length < count) readers.push(await open())
    return readers
  }

  async #openLock(signal: AbortSignal): Promise<MySqlConnection | null> {
    if (!this.#options.locks) return null
    const connection = await MySqlConnection.open(this.#options.connection, signal)
    this.opened.push(connection)
    return connection
  }

  async close(): Promise<void> {
    for (const each of this.opened) await each.close()
  }
}
