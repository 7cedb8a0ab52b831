import {
  answeredWithin,
  type BinlogEvent,
  type BinlogReader,
  BinlogStream,
  type BinlogStreamOptions,
  type MySqlConnection,
  mysqlErrors,
} from '@tributary/mysql'
import { type Clock, StoppedError, withTimeout } from '@tributary/support'
import { comparePlaces, type LogPlace } from './log-place.ts'

export interface BinlogAheadOptions {
  readonly flavor: 'mysql' | 'mariadb'
  readonly connection: BinlogStreamOptions['connection']
  readonly decodeStatement: BinlogStreamOptions['decodeStatement']
  /** A connection that is silent for so long is lost. */
  readonly silenceMsMax: number
  readonly clock: Clock
}

export interface AheadRange {
  /** Where an event begins. A dump may start there: outside a transaction, or at the start of one. */
  readonly from: LogPlace
  readonly until: LogPlace
  /** Inspects the server before the dump starts; throws when it is not the one that the places belong to. */
  readonly inspect: (connection: MySqlConnection, signal?: AbortSignal) => Promise<void>
}

/**
 * Reads a part of the binlog ahead of the stream, on a connection of its own. It asks as `mysqlbinlog` does, with the
 * server id 0: the server does not count it as a replica, and does not end the dump of the stream, which has the
 * connector's id.
 */
export async function readAhead(
  options: BinlogAheadOptions,
  range: AheadRange,
  onEvent: (event: BinlogEvent, reader: BinlogReader) => void,
  signal: AbortSignal,
): Promise<void> {
  const { flavor, connection, decodeStatement, clock } = options
  const { from, until, inspect } = range
  if (comparePlaces(from, until) >= 0) return
  const address = `${connection.host}:${connection.port}`
  await using stream = await answeredWithin(
    { clock, limitMs: OPENING_MS_MAX, address, doing: () => 'requesting the binlog' },
    (limit) =>
      BinlogStream.open(
        {
          connection,
          decodeStatement,
          inspect,
          dump: {
            flavor,
            start: { tag: 'position', file: from.file, position: from.position },
            serverId: 0,
            replicaUuid: '',
            heartbeatMs: HEARTBEAT_MS,
            wantsStatements: false,
          },
        },
        limit,
      ),
    signal,
  )
  const { reader } = stream
  for (;;) {
    const event = stream.next()
    if (event === null) {
      // The statements that were found are texts of their own.
      reader.recycle()
      await hear(stream, options, signal)
      continue
    }
    onEvent(event, reader)
    if (comparePlaces({ file: reader.file, position: reader.nextPosition }, until) >= 0) return
    // Also lets a stop be noticed while events arrive faster than they are read.
    if (signal.aborted) throw new StoppedError()
  }
}

async function hear(stream: BinlogStream, options: BinlogAheadOptions, signal: AbortSignal): Promise<void> {
  const { connection, clock, silenceMsMax } = options
  try {
    await withTimeout(clock, silenceMsMax, (limit) => stream.wait(limit), signal)
  } catch (error) {
    if (!(error instanceof StoppedError) || signal.aborted) throw error
    throw mysqlErrors.MYSQL_CONNECTION_LOST({
      address: `${connection.host}:${connection.port}`,
      doing: 'reading the binlog',
      reason: `nothing arrived for ${silenceMsMax} ms`,
    })
  }
}

/** Login, and a server with thousands of binlog files. */
const OPENING_MS_MAX = 90_000
const HEARTBEAT_MS = 2_000
