import { CodedError, StoppedError, toError } from '@tributary/support'
import { startBinlogDump, type DumpOptions } from '../commands/binlog-dump.ts'
import { loadZstd } from '../compression/zstd.ts'
import type { MySqlConnectionOptions } from '../connection/connection-options.ts'
import { MySqlConnection } from '../connection/mysql-connection.ts'
import { mysqlErrors } from '../errors.ts'
import type { BinlogEvent } from './binlog-event.ts'
import { BinlogReader } from './binlog-reader.ts'
import { dumpRefusal } from './dump-refusal.ts'
import type { StatementDecoder } from './query-event.ts'

export interface BinlogStreamOptions {
  readonly connection: MySqlConnectionOptions
  readonly dump: DumpOptions
  readonly decodeStatement: StatementDecoder
  /** Inspects the server on the connection of the dump, before the dump starts. An error ends the attempt. */
  readonly inspect?: (connection: MySqlConnection, signal?: AbortSignal) => Promise<void>
}

/** A connection that receives the binlog, from one start position until it is closed or lost. */
export class BinlogStream implements AsyncDisposable {
  readonly reader: BinlogReader
  readonly #connection: MySqlConnection
  readonly #options: BinlogStreamOptions

  private constructor(connection: MySqlConnection, reader: BinlogReader, options: BinlogStreamOptions) {
    this.#connection = connection
    this.reader = reader
    this.#options = options
  }

  static async open(options: BinlogStreamOptions, signal?: AbortSignal): Promise<BinlogStream> {
    const connection = await MySqlConnection.open(options.connection, signal)
    try {
      await options.inspect?.(connection, signal)
      const [row] = await connection.query('SELECT @@global.binlog_checksum', 'reading binlog_checksum', { signal })
      const zstd = await loadZstd()
      const { packets } = await startBinlogDump(connection, options.dump, signal)
      const reader = new BinlogReader({
        packets,
        hasChecksums: row?.[0] === 'CRC32',
        decodeStatement: options.decodeStatement,
        zstd,
      })
      return new BinlogStream(connection, reader, options)
    } catch (error) {
      await connection.close()
      throw signal?.aborted ? new StoppedError() : error
    }
  }

  /** Connection id of the dump thread on the server. */
  get threadId(): number {
    return this.#connection.threadId
  }

  /** Returns the next event, or null if it has not arrived yet. The reader's fields have its position and time. */
  next(): BinlogEvent | null {
    try {
      return this.reader.next()
    } catch (error) {
      throw this.#wrap(error)
    }
  }

  /** Waits until `next` may return an event. */
  async wait(signal?: AbortSignal): Promise<void> {
    try {
      await this.reader.wait(signal)
    } catch (error) {
      throw this.#wrap(error)
    }
  }

  #wrap(thrown: unknown): Error {
    if (thrown instanceof CodedError || thrown instanceof StoppedError) return thrown
    const error = toError(thrown) as Error & { errno?: number }
    const { address } = this.#connection
    const reason = error.message
    if (error.errno === ER_SLAVE_SAME_ID || (error.errno === ER_SOURCE_FATAL && /same server_(uu)?id/i.test(reason))) {
      return mysqlErrors.BINLOG_SERVER_ID_TAKEN({ address, serverId: this.#options.dump.serverId, reason }, error)
    }
    if (error.errno !== ER_SOURCE_FATAL) return this.#connection.wrap(error, this.#doing)
    return dumpRefusal({ address, position: describeStart(this.#options.dump), reason }, error)
  }

  get #doing(): string {
    const { file, place } = this.reader
    return file === '' ? 'waiting for the first event of the binlog' : `reading the binlog after ${place}`
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** ER_SOURCE_FATAL_ERROR_READING_BINLOG: the dump thread has ended, for any reason. */
const ER_SOURCE_FATAL = 1236
/** MariaDB 10.5 and later report a second replica with the same server id by an error of its own. */
const ER_SLAVE_SAME_ID = 4052

function describeStart({ start }: DumpOptions): string {
  switch (start.tag) {
    case 'position':
      return `${start.file}:${start.position}`
    case 'mysqlGtids':
      return `the transactions after ${String(start.executed)}`
    case 'mariadbGtids':
      return `GTID ${String(start.position)}`
  }
}
