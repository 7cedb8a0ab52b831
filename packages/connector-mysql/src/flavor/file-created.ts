import { answeredWithin, BinlogStream, type MySqlConnectionOptions } from '@tributary/mysql'
import { type Clock, CodedError } from '@tributary/support'
import type { Flavor } from './flavor.ts'

export interface FileCreatedOptions {
  readonly flavor: Pick<Flavor, 'name'>
  readonly connection: MySqlConnectionOptions
  readonly clock: Clock
}

/** What the format description at the start of a binlog file states. */
export interface FileStart {
  /** When the server created the file, in seconds since 1970 by its clock. */
  readonly createdSeconds: number
  /** The file is the first one after a start of the server. */
  readonly isServerStart: boolean
}

/** Returns when the server created a binlog file, in seconds since 1970 by its clock; null when it has no such file. */
export async function readFileCreated(
  options: FileCreatedOptions,
  file: string,
  signal: AbortSignal,
): Promise<number | null> {
  return (await readFileStart(options, file, signal))?.createdSeconds ?? null
}

/**
 * Reads the start of a binlog file; null when the server has no such file. No statement returns it, so it is read from
 * the format description, by a short dump on a connection of its own. Its server id is 0, as that of `mysqlbinlog`: the
 * server does not count it as a replica.
 */
export async function readFileStart(
  { flavor, connection, clock }: FileCreatedOptions,
  file: string,
  signal: AbortSignal,
): Promise<FileStart | null> {
  const address = `${connection.host}:${connection.port}`
  return answeredWithin(
    { clock, limitMs: LIMIT_MS, address, doing: () => `reading the start of the binlog file ${file}` },
    async (limit) => {
      await using stream = await BinlogStream.open(
        {
          connection,
          decodeStatement: (bytes, start, end) => bytes.latin1Slice(start, end),
          dump: {
            flavor: flavor.name,
            start: { tag: 'position', file, position: 4 },
            serverId: 0,
            replicaUuid: '',
            heartbeatMs: HEARTBEAT_MS,
            wantsStatements: false,
          },
        },
        limit,
      )
      return await startOf(stream, limit)
    },
    signal,
  )
}

async function startOf(stream: BinlogStream, signal: AbortSignal): Promise<FileStart | null> {
  try {
    for (;;) {
      const event = stream.next()
      if (event === null) await stream.wait(signal)
      else if (event.tag === 'formatDescription')
        return { createdSeconds: stream.reader.timestampSeconds, isServerStart: event.isServerStart }
    }
  } catch (error) {
    if (error instanceof CodedError && error.code === 'BINLOG_UNAVAILABLE') return null
    throw error
  }
}

const LIMIT_MS = 60_000
const HEARTBEAT_MS = 2_000
