import { CodedError } from '@tributary/support'
import { capturedColumns, capturedJson } from '../../../fixtures/captured-columns.ts'
import type { BinlogEvent } from '../../binlog/binlog-event.ts'
import { BinlogReader } from '../../binlog/binlog-reader.ts'
import { EventType } from '../../binlog/event-type.ts'
import { RowCodec } from '../../binlog/row-codec.ts'
import type { RowsEvent } from '../../binlog/rows-event.ts'
import type { TableMap } from '../../binlog/table-map.ts'
import { tableMapDetails } from '../../binlog/table-map-details.ts'
import { PacketReader } from '../../connection/packet-reader.ts'
import { PlainReason } from '../../error-texts.ts'
import type { ColumnTarget } from '../../values/column-target.ts'
import {
  type CapturedName,
  capturedBinlog,
  packetOf,
  rotateTo,
  silentSocket,
  withoutChecksums,
} from '../captured-binlog.ts'
import { textTarget } from '../text-targets.ts'
import { isRangeError, type Seed, type Surface } from './surface.ts'

const NAMES: readonly CapturedName[] = [
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map((n) => `mysql.0${n}` as const),
  ...([1, 2, 3, 4] as const).map((n) => `mariadb.0${n}` as const),
]

const KINDS = [textTarget('integer'), ...[...capturedColumns, capturedJson].map(([, kind]) => textTarget(kind))]
const FEW_KINDS = [textTarget('integer'), textTarget('text'), textTarget('double')]

/** Targets for a captured table, damaged or not. */
function targetsOf({ columns }: TableMap): (ColumnTarget<string> | null)[] {
  const kinds = columns.length > FEW_KINDS.length ? KINDS : FEW_KINDS
  return columns.map((_, i) => kinds[i] ?? null)
}

/** Each captured event after the format of its file and the table maps of its statement. */
function eventSeeds(): Seed[] {
  return NAMES.flatMap((name) => {
    const events = withoutChecksums(capturedBinlog(name).events)
    return events.map((bytes, i) => ({ bytes, context: contextOf(events, i) }))
  })
}

function contextOf(events: readonly Buffer[], index: number): Buffer[] {
  const maps = events.slice(Math.max(0, index - 3), index).filter((event) => event[4] === EventType.tableMap)
  return index === 0 ? [] : [events[0] as Buffer, ...maps]
}

function readEvent(event: BinlogEvent): void {
  if (event.tag === 'tableMap') readDetails(event.table)
  if (event.tag !== 'rows') return
  const targets = targetsOf(event.table)
  const whole = RowCodec.compile(event.table, targets)
  const skipping = RowCodec.compile(
    event.table,
    targets.map(() => null),
  )
  if (skipping.tag === 'codec') readImages(event, skipping.codec)
  event.rewind()
  if (whole.tag === 'misfit') return
  if (!event.isPartial) {
    locateImages(event, whole.codec)
    event.rewind()
  }
  readImages(event, whole.codec)
}

/** The connector treats details that cannot be read as unknown. */
function readDetails(table: TableMap): void {
  try {
    tableMapDetails(table)
  } catch (error) {
    if (!isRangeError(error)) throw error
  }
}

function readImages<T>(event: RowsEvent, codec: RowCodec<T>): void {
  while (event.hasMore) {
    if (event.kind !== 'write') event.readBefore(codec)
    if (event.kind !== 'delete') event.readAfter(codec)
  }
}

/** Rows as the connector reads them: it finds the values, and reads those that it needs. */
function locateImages(event: RowsEvent, codec: RowCodec<string>): void {
  const places = new Int32Array(2 * codec.columnCount)
  while (event.hasMore) {
    event.locate(codec, places, 0)
    for (let column = 0; column < codec.columnCount; column++) {
      const start = places[2 * column] as number
      if (start >= 0) readLocated(event, codec, column, [start, places[2 * column + 1] as number])
    }
    if (event.kind === 'update' && event.hasMore) event.locate(codec, places, 0)
  }
}

function readLocated(event: RowsEvent, codec: RowCodec<string>, column: number, [start, end]: [number, number]): void {
  try {
    codec.readLocated(column, event.bytes, start, end)
  } catch (thrown) {
    throw event.corruptRow(thrown)
  }
}

function readAll(bytes: Buffer): void {
  const packets = new PacketReader(silentSocket())
  packets.push(bytes)
  const decodeStatement = (from: Buffer, start: number, end: number): string => from.utf8Slice(start, end)
  const reader = new BinlogReader({ packets, hasChecksums: false, decodeStatement })
  for (let event = reader.next(); event !== null; event = reader.next()) readEvent(event)
}

const DAMAGE_CODES = new Set(['BINLOG_CORRUPT', 'BINLOG_EVENT_UNKNOWN', 'BINLOG_TABLE_UNKNOWN', 'BINLOG_CHECKSUM'])

function isDamage(error: unknown): boolean {
  return (
    error instanceof CodedError && DAMAGE_CODES.has(error.code) && /( at (binlog|the start)|:\d+)/.test(error.message)
  )
}

const EVENT = Buffer.from([0])

/** Events of a dump with a header that fits their size, so that their content is read. */
export const events: Surface = {
  name: 'binlog events',
  isText: false,
  seeds: eventSeeds(),
  run(input, { context }) {
    const event = Buffer.from(input)
    if (event.length >= 13) event.writeUInt32LE(event.length, 9)
    const sent = [rotateTo('binlog.000001', 4, false), ...context, event]
    readAll(Buffer.concat(sent.map((each) => packetOf(Buffer.concat([EVENT, each])))))
  },
  isExpected: isDamage,
}

/** The packets of a dump, with their lengths and numbers. */
export const packets: Surface = {
  name: 'packets of a dump',
  isText: false,
  seeds: eventSeeds()
    .filter((_, i) => i % 7 === 0)
    .map(({ bytes, context }) => {
      const sent = [rotateTo('binlog.000001', 4, false), ...context, bytes]
      return { bytes: Buffer.concat(sent.map((each) => packetOf(Buffer.concat([EVENT, each])))), context: [] }
    }),
  run: readAll,
  isExpected: (error) =>
    isDamage(error) ||
    // `BinlogStream` adds the position of packets that are not events.
    isRangeError(error) ||
    (error instanceof CodedError && error.code.startsWith('PROTOCOL')) ||
    error instanceof PlainReason ||
    (error instanceof Error && 'errno' in error),
}
