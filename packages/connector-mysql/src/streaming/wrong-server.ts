import { CodedError, type Clock } from '@tributary/support'
import type { ConnectorConfig } from '../config/connector-config.ts'
import { connectorErrors } from '../errors.ts'

export interface WrongServerOptions {
  readonly connectorName: string
  readonly config: Pick<ConnectorConfig, 'host' | 'port'>
  readonly clock: Clock
}

/**
 * Limits how long the stream waits for the right server. It waits for a server that lacks transactions as long as that
 * server catches up; for one that does not, and for another server, ten minutes. While no server answers, nothing is
 * known and nothing is counted.
 */
export class WrongServer {
  readonly #options: WrongServerOptions
  /** Why the server is the wrong one, and since when for this same reason. */
  #wrong: { readonly reason: string; readonly sinceMs: number } | null = null
  #lacking = ''

  constructor(options: WrongServerOptions) {
    this.#options = options
  }

  /** Describes the transactions that the last inspected server has not executed yet. */
  setLacking(lacking: string): void {
    this.#lacking = lacking
  }

  /** Events arrive. */
  reset(): void {
    this.#wrong = null
  }

  /** Called with each error of the connection; throws SERVER_WRONG when the time is over. */
  check(error: Error): void {
    if (!(error instanceof CodedError) || !WRONG_SERVER_CODES.has(error.code)) {
      this.#wrong = null
      return
    }
    const { clock, config, connectorName } = this.#options
    const reason = error.code === 'SERVER_BEHIND' ? this.#lacking : error.code
    if (this.#wrong?.reason !== reason) this.#wrong = { reason, sinceMs: clock.now() }
    if (clock.now() - this.#wrong.sinceMs < WRONG_SERVER_MINUTES * 60_000) return
    throw connectorErrors.SERVER_WRONG(
      {
        address: `${config.host}:${config.port}`,
        minutes: WRONG_SERVER_MINUTES,
        reason: error.message,
        connector: connectorName,
      },
      error,
    )
  }
}

/** As long as a failover of many replicas takes; after that an operator has to look. */
export const WRONG_SERVER_MINUTES = 10
const WRONG_SERVER_CODES: ReadonlySet<string> = new Set(['SERVER_BEHIND', 'SERVER_OTHER', 'BINLOG_GTID_AHEAD'])
