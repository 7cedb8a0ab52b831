import { answeredWithin, MySqlConnection, type MySqlConnectionOptions, mysqlErrors } from '@tributary/mysql'
import type { Clock, Logger } from '@tributary/support'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import { comparePlaces, type LogPlace } from './log-place.ts'

export interface ResetWatchOptions {
  readonly flavor: Flavor
  readonly serverInfo: ServerInfo
  readonly connection: MySqlConnectionOptions
  readonly clock: Clock
  readonly logger: Logger
  /** How often an idle stream is compared with the server. */
  readonly intervalMs: number
}

/**
 * Notices that the binlog of the server was reset while a dump is open. The dump continues to read the deleted file: it
 * sends heartbeats, and no event any more. So while nothing arrives, this compares the end of the server's binlog with
 * the place that was read, on a connection of its own. In one history, the end is never before that place.
 */
export class ResetWatch {
  readonly #options: ResetWatchOptions
  #nextCheckMs: number
  #check: AbortController | null = null
  #reset: Error | null = null

  constructor(options: ResetWatchOptions) {
    this.#options = options
    this.#nextCheckMs = options.clock.now() + options.intervalMs
  }

  /**
   * Called while the stream is idle after `read`. Starts a comparison from time to time, without waiting for it.
   *
   * @throws MYSQL_CONNECTION_LOST when the last comparison found a reset: the next connection finds out what happened
   */
  idle(read: LogPlace): void {
    if (this.#reset !== null) throw this.#reset
    const { clock, intervalMs } = this.#options
    if (this.#check !== null || clock.now() < this.#nextCheckMs) return
    this.#nextCheckMs = clock.now() + intervalMs
    const check = new AbortController()
    this.#check = check
    void this.#compare(read, check.signal).finally(() => {
      if (this.#check === check) this.#check = null
    })
  }

  async #compare(read: LogPlace, signal: AbortSignal): Promise<void> {
    const { connection: options, clock, flavor, serverInfo, logger } = this.#options
    const address = `${options.host}:${options.port}`
    try {
      const end = await answeredWithin(
        { clock, limitMs: LIMIT_MS, address, doing: () => 'reading the binlog position' },
        async (limit) => {
          await using connection = await MySqlConnection.open(options, limit)
          return await flavor.readPosition(connection, serverInfo, limit)
        },
        signal,
      )
      if (comparePlaces(end, read) >= 0) return
      const reason = `the binlog of the server ends at ${end.file}:${end.position}, before ${read.file}:${read.position}, which was read already`
      this.#reset = mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing: 'reading the binlog', reason })
    } catch (error) {
      // The stream itself notices a server that is down; without the privilege for the position there is no comparison.
      if (!signal.aborted) logger.debug('The end of the binlog could not be compared with the stream', { error })
    }
  }

  close(): void {
    this.#check?.abort()
  }
}

const LIMIT_MS = 30_000
