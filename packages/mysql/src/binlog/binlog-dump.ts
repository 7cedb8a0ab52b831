import { CodedError, StoppedError, toError } from '@tributary/support'
import { startBinlogDump, type DumpOptions } from '../commands/binlog-dump.ts'
import type { MySqlConnectionOptions } from '../connection/connection-options.ts'
import { MySqlConnection } from '../connection/mysql-connection.ts'
import type { PacketReader } from '../connection/packet-reader.ts'
import { mysqlErrors } from '../errors.ts'
import { dumpRefusal } from './dump-refusal.ts'

export interface BinlogDumpOptions {
  readonly connection: MySqlConnectionOptions
  readonly dump: DumpOptions
  /** Inspects the server on the connection of the dump, before the dump starts. An error ends the attempt. */
  readonly inspect?: (connection: MySqlConnection, signal?: AbortSignal) => Promise<void>
}

/** A connection that receives the binlog as packets, from one start position until it is closed or lost. */
export class BinlogDump implements AsyncDisposable {
  readonly packets: PacketReader
  /** Whether the server adds checksums (binlog_checksum) to the events at the start of a dump. */
  readonly hasChecksums: boolean
  readonly #connection: MySqlConnection
  readonly #options: BinlogDumpOptions

  private constructor(
    connection: MySqlConnection,
    options: BinlogDumpOptions,
    parts: { readonly packets: PacketReader; readonly hasChecksums: boolean },
  ) {
    this.#connection = connection
    this.#options = options
    this.packets = parts.packets
    this.hasChecksums = parts.hasChecksums
  }

  static async open(options: BinlogDumpOptions, signal?: AbortSignal): Promise<BinlogDump> {
    const connection = await MySqlConnection.open(options.connection, signal)
    try {
      await options.inspect?.(connection, signal)
      const [row] = await connection.query('SELECT @@global.binlog_checksum', 'reading binlog_checksum', { signal })
      const { packets } = await startBinlogDump(connection, options.dump, signal)
      return new BinlogDump(connection, options, { packets, hasChecksums: row?.[0] === 'CRC32' })
    } catch (error) {
      await connection.close()
      throw signal?.aborted ? new StoppedError() : error
    }
  }

  /** Connection id of the dump thread on the server. */
  get threadId(): number {
    return this.#connection.threadId
  }

  /** The error of a failed read: names the server and the reason. `doing` as in “reading the binlog”. */
  wrap(thrown: unknown, doing: string): Error {
    if (thrown instanceof CodedError || thrown instanceof StoppedError) return thrown
    const error = toError(thrown) as Error & { errno?: number }
    const { address } = this.#connection
    const reason = error.message
    if (error.errno === ER_SLAVE_SAME_ID || (error.errno === ER_SOURCE_FATAL && /same server_(uu)?id/i.test(reason))) {
      return mysqlErrors.BINLOG_SERVER_ID_TAKEN({ address, serverId: this.#options.dump.serverId, reason }, error)
    }
    if (error.errno !== ER_SOURCE_FATAL) return this.#connection.wrap(error, doing)
    return dumpRefusal({ address, position: describeStart(this.#options.dump), reason }, error)
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
