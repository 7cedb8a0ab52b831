import { type SnapshotNumbers, type SnapshotTable, TableId } from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { type Logger, toError } from '@tributary/support'
import { estimateRows, wantNewEstimates } from './row-count-order.ts'

export interface RowEstimatesOptions {
  readonly connection: MySqlConnectionOptions
  readonly numbers: SnapshotNumbers
  /** Tables of which not all rows are read: the estimate of the server would be too large. */
  readonly except: (id: TableId) => boolean
  readonly logger: Logger
}

/**
 * Asks the server how many rows the tables of a snapshot have, for its progress, beside the snapshot and on a connection
 * of its own: some servers open each table for that, and no row waits for it. Without an answer the progress has no
 * percentage.
 */
export class RowEstimates implements AsyncDisposable {
  readonly #options: RowEstimatesOptions
  readonly #stop = new AbortController()
  readonly #work: Promise<void>

  /** Begins to ask for the tables that have no estimate yet. */
  constructor(options: RowEstimatesOptions) {
    this.#options = options
    this.#work = this.#run()
  }

  async #run(): Promise<void> {
    const { connection: options, numbers, except, logger } = this.#options
    const tables = new Map<TableId, SnapshotTable>()
    for (const [name, table] of numbers.tables) {
      const dot = name.indexOf('.')
      const id = TableId.of(name.slice(0, dot), name.slice(dot + 1))
      if (table.estimatedRows === null && !except(id)) tables.set(id, table)
    }
    if (tables.size === 0) return
    const { signal } = this.#stop
    try {
      const connection = await MySqlConnection.open(options, signal)
      try {
        await wantNewEstimates(connection, signal)
        const estimates = await estimateRows(connection, [...tables.keys()], signal)
        for (const [id, table] of tables) table.estimatedRows ??= estimates.get(id) ?? null
      } finally {
        await connection.close()
      }
    } catch (error) {
      if (signal.aborted) return
      logger.info('The rows of the tables cannot be estimated, so the progress has no percentages', {
        error: toError(error),
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#work
  }
}
