import type { Database } from '@tributary/testkit'
import { silentLogger } from '@tributary/support'
import { BinlogStream } from '../binlog/binlog-stream.ts'
import type { BinlogEvent } from '../binlog/binlog-event.ts'
import type { BinlogReader } from '../binlog/binlog-reader.ts'
import { RowCodec } from '../binlog/row-codec.ts'
import type { RowsEvent } from '../binlog/rows-event.ts'
import type { RowValue } from '../binlog/row-value.ts'
import type { DumpOptions, DumpStart } from '../commands/binlog-dump.ts'
import type { MySqlConnectionOptions } from '../connection/connection-options.ts'
import type { ColumnTarget } from '../values/column-target.ts'

/** The login of a test at a server: root, without TLS unless specified. */
export function loginOf({ host, port }: Pick<Database, 'host' | 'port'>): MySqlConnectionOptions {
  return {
    host,
    port,
    user: 'root',
    password: '',
    tls: { mode: 'disabled' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  }
}

/** Where the next event will be written. */
export async function endOfBinlog(server: Database): Promise<Extract<DumpStart, { tag: 'position' }>> {
  const statement = server.flavor === 'mysql' ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS'
  const [row] = await server.query(statement)
  return { tag: 'position', file: String(row?.['File']), position: Number(row?.['Position']) }
}

export interface OpenOptions {
  readonly dump?: Partial<DumpOptions>
  /** Connects to this address instead of the server's. */
  readonly through?: { readonly host: string; readonly port: number }
}

/** Receives the binlog of a server from a position. */
export function openBinlog(server: Database, start: DumpStart, options: OpenOptions = {}): Promise<BinlogStream> {
  nextServerId += 1
  return BinlogStream.open({
    connection: loginOf(options.through ?? server),
    dump: {
      flavor: server.flavor,
      start,
      serverId: nextServerId,
      replicaUuid: `00000000-0000-4000-8000-${String(nextServerId).padStart(12, '0')}`,
      heartbeatMs: 10_000,
      wantsStatements: false,
      ...options.dump,
    },
    decodeStatement: (bytes, from, to) => bytes.utf8Slice(from, to),
  })
}

/** Of several test files that share a server, each process has its own range. */
let nextServerId = 1_000_000 + (process.pid % 100_000) * 100

/** Passes each event to `see` until that returns true. */
export async function readEvents(
  stream: BinlogStream,
  see: (event: BinlogEvent, header: BinlogReader) => boolean,
): Promise<void> {
  const signal = AbortSignal.timeout(60_000)
  for (;;) {
    const event = stream.next()
    if (event === null) await stream.wait(signal)
    else if (see(event, stream.reader)) return
  }
}

/** The after images of the next `count` rows that are inserted into a table. */
export async function insertedRows<T>(
  stream: BinlogStream,
  table: string,
  targets: readonly (ColumnTarget<T> | null)[],
  count: number,
): Promise<RowValue<T>[][]> {
  const rows: RowValue<T>[][] = []
  await readEvents(stream, (event) => {
    if (event.tag !== 'rows' || event.table.table !== table) return false
    const result = RowCodec.compile(event.table, targets)
    if (result.tag === 'misfit') throw new Error(result.reason)
    const { codec } = result
    while (event.hasMore) rows.push(event.isPartial ? event.readAfter(codec) : readLocated(event, codec))
    return rows.length >= count
  })
  return rows
}

/** Reads rows with all columns like the connector does: locates the values first, then reads each from its place. */
function readLocated<T>(event: RowsEvent, codec: RowCodec<T>): RowValue<T>[] {
  const places = new Int32Array(2 * codec.columnCount)
  event.locate(codec, places, 0)
  return Array.from({ length: codec.columnCount }, (_, column) => {
    const start = places[2 * column] as number
    return start < 0 ? null : codec.readLocated(column, event.bytes, start, places[2 * column + 1] as number)
  })
}
