import { instantText } from '@tributary/connect-api'
import type { TableId } from '@tributary/connector-kit'
import { type MySqlConnection, serverErrno, type WaitOptions } from '@tributary/mysql'
import { type Clock, type Logger, toError } from '@tributary/support'
import { randomUUID } from 'node:crypto'
import { quoted, quotedText } from '../tables/quoted-name.ts'

/** A window whose begin was marked. */
export interface MarkedWindow {
  /** Marks the end. False: nothing is marked. */
  close(wait: WaitOptions): Promise<boolean>
}

export const NO_MARKERS: MarkedWindow = { close: () => Promise.resolve(false) }

export interface WindowMarkersOptions {
  readonly table: TableId
  /** `incremental.snapshot.watermarking.strategy` */
  readonly strategy: 'insert_insert' | 'insert_delete'
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Marks the start and the end of each chunk's window in the signal table, as Debezium does. Consumers of that
 * table may expect them; the order of rows and changes does not depend on them (`openView`).
 */
export class WindowMarkers {
  readonly #options: WindowMarkersOptions
  /** The server refuses to write them. */
  #isRefused = false

  constructor(options: WindowMarkersOptions) {
    this.#options = options
  }

  async open(connection: MySqlConnection, wait: WaitOptions): Promise<MarkedWindow> {
    if (this.#isRefused) return NO_MARKERS
    const id = randomUUID()
    const opened = this.#now
    const data = JSON.stringify({ openWindowTimestamp: opened })
    try {
      await this.#insert(connection, { id: `${id}-open`, type: 'snapshot-window-open', data }, wait)
    } catch (error) {
      this.#refuse(error)
      return NO_MARKERS
    }
    return {
      close: async (closing) => {
        try {
          return await this.#close(connection, { id, opened }, closing)
        } catch (error) {
          this.#refuse(error)
          return false
        }
      },
    }
  }

  /** Whatever the server has against a mark (privileges, columns, lengths, duplicates), chunks do without. */
  #refuse(error: unknown): void {
    if (serverErrno(error) === null) throw error
    this.#isRefused = true
    this.#options.logger.warn(
      `The windows of the incremental snapshot are not marked in the signal table, which it does not need: ${toError(error).message}`,
    )
  }

  async #close(
    connection: MySqlConnection,
    { id, opened }: { readonly id: string; readonly opened: string },
    wait: WaitOptions,
  ): Promise<boolean> {
    const { table, strategy } = this.#options
    if (strategy === 'insert_delete') {
      const [column] = await connection.query(
        `SHOW COLUMNS FROM ${nameOf(table)}`,
        'finding the first column of the signal table',
        wait,
      )
      const sql = `DELETE FROM ${nameOf(table)} WHERE ${quoted(column?.[0] ?? 'id')} = ${quotedText(`${id}-open`)}`
      await connection.query(sql, 'marking the end of a chunk in the signal table', wait)
      return true
    }
    const data = JSON.stringify({ openWindowTimestamp: opened, closeWindowTimestamp: this.#now })
    await this.#insert(connection, { id: `${id}-close`, type: 'snapshot-window-close', data }, wait)
    return true
  }

  async #insert(
    connection: MySqlConnection,
    { id, type, data }: { readonly id: string; readonly type: string; readonly data: string },
    wait: WaitOptions,
  ): Promise<void> {
    const values = [id, type, data].map(quotedText).join(', ')
    const sql = `INSERT INTO ${nameOf(this.#options.table)} VALUES (${values})`
    await connection.query(sql, 'marking a chunk in the signal table', wait)
  }

  get #now(): string {
    return instantText(this.#options.clock.now())
  }
}

function nameOf({ database, table }: TableId): string {
  return `${quoted(database)}.${quoted(table)}`
}
