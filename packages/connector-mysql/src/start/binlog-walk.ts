import {
  answeredWithin,
  type BinlogEvent,
  BinlogStream,
  type DumpStart,
  type MySqlConnectionOptions,
} from '@tributary/mysql'
import type { Clock } from '@tributary/support'
import type { Flavor, ServerPosition } from '../flavor/flavor.ts'

export interface WalkOptions {
  readonly flavor: Pick<Flavor, 'name'>
  readonly connection: MySqlConnectionOptions
  readonly clock: Clock
}

/** Where an event is. */
export interface EventPlace {
  readonly file: string
  readonly position: number
  /** Seconds since 1970, by the server's clock; 0 for an event that is in no file. */
  readonly timestampSeconds: number
}

/**
 * Shows the events from a start up to an end of the binlog, or until the visitor returns true. The server id is 0, as
 * that of `mysqlbinlog`: the server does not count a replica.
 */
export async function walkBinlog(
  { flavor, connection, clock }: WalkOptions,
  { from, until }: { readonly from: DumpStart; readonly until: ServerPosition },
  visit: (event: BinlogEvent, place: EventPlace) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const address = `${connection.host}:${connection.port}`
  const dump = { flavor: flavor.name, start: from, serverId: 0, replicaUuid: '', heartbeatMs: HEARTBEAT_MS }
  // Statements are not read: only where transactions begin matters.
  const decodeStatement = (bytes: Buffer, start: number, end: number): string => bytes.latin1Slice(start, end)
  await using stream = await answeredWithin(
    { clock, limitMs: OPENING_MS_MAX, address, doing: () => 'requesting the binlog' },
    (limit) => BinlogStream.open({ connection, decodeStatement, dump: { ...dump, wantsStatements: false } }, limit),
    signal,
  )
  const { reader } = stream
  for (;;) {
    const event = stream.next()
    if (event === null) {
      reader.recycle()
      const doing = (): string => `reading the binlog after ${reader.place}`
      await answeredWithin({ clock, limitMs: SILENCE_MS_MAX, address, doing }, (limit) => stream.wait(limit), signal)
      continue
    }
    const { file, position, timestampSeconds } = reader
    if (visit(event, { file, position, timestampSeconds })) return
    if (!reader.isInsidePayload && isAtOrAfter(reader, until)) return
  }
}

function isAtOrAfter(reader: { readonly file: string; readonly nextPosition: number }, until: ServerPosition): boolean {
  const [number, last] = [fileNumber(reader.file), fileNumber(until.file)]
  return number > last || (number === last && reader.nextPosition >= until.position)
}

function fileNumber(file: string): number {
  return Number(file.slice(file.lastIndexOf('.') + 1))
}

const OPENING_MS_MAX = 90_000
const SILENCE_MS_MAX = 120_000
const HEARTBEAT_MS = 2_000
