import {
  changed,
  type Conversation,
  cutAt,
  dumpBytes,
  endless,
  errorPayload,
  eventOf,
  type Fault,
  instead,
  isReplicaDump,
  packetHeader,
  packetOf,
  payloadsOf,
  rotateTo,
  summed,
} from '@tributary/testkit'
import type { FaultCase } from './fault-case.ts'

/** A fault of the dump of a replica. */
type DumpFault = readonly [name: string, bend: Fault['bend']]

function stream(
  kind: string,
  { flavor }: Conversation,
  [name, bend]: DumpFault,
  more: Partial<FaultCase> = {},
): FaultCase {
  return { kind, name, flavor, entry: 'stream', server: { faults: [{ matches: isReplicaDump, bend }] }, ...more }
}

/** Bytes of the dump after the stored offset. */
function sizeOf({ binlog }: Conversation): number {
  return binlog.events.reduce((bytes, event) => bytes + Buffer.byteLength(event, 'base64') + 5, 0)
}

const RECOVERED = { ends: 'recovered' } as const

/** The end of the connection, or silence, after each so many bytes of a dump. */
export function* dumpCuts(conversation: Conversation, step: number): Generator<FaultCase> {
  for (let size = 0; size < Math.min(DUMP_BYTES, sizeOf(conversation)); size += step) {
    for (const ending of ['close', 'reset', 'stall'] as const) {
      yield stream(`dump, ${ending}`, conversation, [`after byte ${size}`, cutAt(size, ending)], RECOVERED)
    }
  }
}

/** The changes of the recordings end before that. */
const DUMP_BYTES = 2_200

/** The events of a dump, without their packets. */
type Events = (events: readonly Buffer[]) => readonly Buffer[]

function withEvents(change: Events): Fault['bend'] {
  return changed((bytes) => dumpBytes(change(payloadsOf(bytes).map((payload) => payload.subarray(1)))))
}

/** The first event of that type with other content, and the checksum of that. */
function withBody(types: readonly number[], change: (body: Buffer, event: Buffer) => Buffer): Fault['bend'] {
  return withEvents((events) => {
    const at = events.findIndex((event) => types.includes(event[4] ?? 0))
    return events.map((event, i) =>
      i === at ? rebuilt(event, change(Buffer.from(event.subarray(19, -4)), event)) : event,
    )
  })
}

/** Places of the following events stay what they were. */
function rebuilt(event: Buffer, body: Buffer): Buffer {
  const whole = Buffer.concat([event.subarray(0, 19), body])
  whole.writeUInt32LE(whole.length + 4, 9)
  return summed(whole)
}

function withHeader(types: readonly number[], change: (event: Buffer) => void): Fault['bend'] {
  return withEvents((events) => {
    const at = events.findIndex((event) => types.includes(event[4] ?? 0))
    return events.map((event, i) => {
      if (i !== at) return event
      const copy = Buffer.from(event.subarray(0, -4))
      change(copy)
      return summed(copy)
    })
  })
}

function added(event: Buffer): Fault['bend'] {
  return withEvents((events) => [...events.slice(0, 2), event, ...events.slice(2)])
}

const DESCRIPTION = [15]
const QUERY = [2]
const TABLE_MAP = [19]
const ROWS = [23, 24, 25, 30, 31, 32]
const GTID = [33, 162]
const XID = [16]
const HEARTBEAT = 27

function filled(body: Buffer, at: number, bytes: readonly number[]): Buffer {
  Buffer.from(bytes).copy(body, at)
  return body
}

/** Of events whose other bytes are values and names: a server may send any. */
const STRUCTURE: Readonly<Record<'mysql' | 'mariadb', { readonly rows: number }>> = {
  // Table 6 · flags 2 · with MySQL extra 2 · columns 1 · bitmaps of columns and of NULLs 1 + 1.
  mysql: { rows: 12 },
  mariadb: { rows: 10 },
}
/** Number 6 · flags 2 · length 1, `fake` 4, 0 · length 1, `t` 1, 0. */
const NAMES: ReadonlySet<number> = new Set([9, 10, 11, 12, 15])

/** Bodies that a parser could follow past their end, by type of event: at most this many bytes are changed each. */
function* bodies(conversation: Conversation, step: number): Generator<FaultCase> {
  for (const [name, types, bytes] of [
    ['table map', TABLE_MAP, 60],
    ['rows', ROWS, STRUCTURE[conversation.flavor].rows],
    ['query', QUERY, 60],
    ['GTID', GTID, 42],
    ['format description', DESCRIPTION, 60],
  ] as const) {
    for (let at = 0; at < bytes; at += name === 'rows' ? 1 : step) {
      if (types === TABLE_MAP && NAMES.has(at)) continue
      const to255 = withBody(types, (body) => filled(body, Math.min(at, body.length - 1), [0xff]))
      yield stream(`event, byte of ${name}`, conversation, [`byte ${at} is 255`, to255], { ends: 'unharmed' })
      const short = withBody(types, (body) => body.subarray(0, at))
      yield stream(`event, shorter ${name}`, conversation, [`${at} bytes`, short], { ends: 'unharmed' })
    }
    const longer = withBody(types, (body) => Buffer.concat([body, Buffer.alloc(2)]))
    yield stream(`event, longer ${name}`, conversation, ['2 bytes more', longer], { ends: 'unharmed' })
    const zeros = withBody(types, (body) => Buffer.alloc(body.length))
    yield stream(`event, zeros in ${name}`, conversation, ['all', zeros], { ends: 'unharmed' })
  }
}

/** Headers: sizes, positions, times, types, flags. */
function* headers(conversation: Conversation): Generator<FaultCase> {
  for (const size of [0, 1, 18, 19, 22, 23, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_ff]) {
    const bend = withHeader(QUERY, (event) => event.writeUInt32LE(size, 9))
    yield stream('event, size', conversation, [`${size}`, bend], {
      ends: 'failed',
      reads: /BINLOG_CORRUPT.*header specifies/,
    })
  }
  for (const position of [1, 4, 100, 0xff_ff_ff_ff]) {
    const bend = withHeader(XID, (event) => event.writeUInt32LE(position, 13))
    yield stream('event, position', conversation, [`${position}`, bend], { ends: 'unharmed' })
  }
  const noTime = withEvents((events) =>
    events.map((event) => summed(filled(Buffer.from(event.subarray(0, -4)), 0, [0, 0, 0, 0]))),
  )
  yield stream('event, time', conversation, ['none', noTime], { ends: 'healthy' })
  for (let type = 0; type < 256; type++) {
    const own = eventOf({ type, end: 0, flags: 0, body: Buffer.alloc(16, 0xff) })
    yield stream('event, any type', conversation, [`type ${type}`, added(own)], { ends: 'unharmed' })
  }
  for (const flags of [0x01, 0x08, 0x20, 0x40, 0x80, 0xff_ff]) {
    const bend = withHeader(ROWS, (event) => event.writeUInt16LE(flags, 17))
    yield stream('event, flags', conversation, [`${flags}`, bend], { ends: 'unharmed' })
  }
  const wrong = withEvents((events) =>
    events.map((event, i) => (i === 4 ? filled(Buffer.from(event), event.length - 4, [1, 2, 3, 4]) : event)),
  )
  yield stream('event, checksum', conversation, ['wrong', wrong], { ends: 'recovered', reads: /BINLOG_CHECKSUM/ })
}

/** Files that do not exist, and heartbeats. */
function* places(conversation: Conversation): Generator<FaultCase> {
  for (const [name, file] of [
    ['no name', ''],
    ['a path', '../../../../etc/passwd'],
    ['control characters', 'binlog.000001\x1b[2J\nERROR forged'],
    ['a long name', 'b'.repeat(100_000)],
    ['bytes that are no text', Buffer.from('ff00fe0102', 'hex')],
  ] as const) {
    yield stream('event, rotate', conversation, [name, added(rotateTo(file, 4))], { ends: 'unharmed' })
  }
  for (const position of [0, 1, 2 ** 31, 2 ** 52]) {
    yield stream(
      'event, rotate',
      conversation,
      [`to ${position}`, added(rotateTo(conversation.binlog.file, position))],
      {
        ends: 'unharmed',
      },
    )
  }
  const beat = (end: number): Buffer =>
    eventOf({ type: HEARTBEAT, end, flags: 0x20, body: Buffer.from(conversation.binlog.file) })
  for (const end of [0, 4, 0xff_ff_ff_ff]) {
    yield stream('event, heartbeat', conversation, [`at ${end}`, added(beat(end))], { ends: 'unharmed' })
  }
}

function* packets(conversation: Conversation): Generator<FaultCase> {
  for (const [name, bytes] of [
    ['an error', packetOf(errorPayload(1236, 'Could not find first log file name in binary log index file'), 1)],
    ['an error that colours', packetOf(errorPayload(1236, 'Client requested \x1b[2J\r\nERROR forged'), 1)],
    ['an error that is cut', packetOf(Buffer.from([0xff, 1]), 1)],
    ['another error', packetOf(errorPayload(1105, 'Unknown error'), 1)],
    ['the end of the dump', packetOf(Buffer.from([0xfe, 0, 0, 2, 0]), 1)],
    ['an empty packet', packetHeader(0, 1)],
    ['an event of no bytes', packetOf(Buffer.from([0]), 1)],
    ['an event of ten bytes', packetOf(Buffer.alloc(11), 1)],
    ['packets of zeros', Buffer.alloc(4_000)],
    ['text', Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
    ['bytes of 255', Buffer.alloc(4_000, 0xff)],
  ] as const) {
    for (const then of ['close', 'stall'] as const) {
      yield stream('dump, packet', conversation, [`${name}, then ${then}`, instead(bytes, then)], { ends: 'unharmed' })
    }
  }
  const numbers = changed((bytes) => {
    const copy = Buffer.from(bytes)
    copy[4 + copy.readUIntLE(0, 3) + 3] = 9
    return copy
  })
  yield stream('dump, packet', conversation, ['a number that is missing', numbers], {
    ...RECOVERED,
    reads: /packet 9 has arrived instead of packet 2/,
  })
  const lost = changed((bytes) => {
    const all = payloadsOf(bytes)
    const ends = all.map((payload) => payload.length + 4)
    const from = ends.slice(0, 6).reduce((sum, size) => sum + size, 0)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + (ends[6] ?? 0))])
  })
  yield stream('dump, packet', conversation, ['a packet that is lost', lost], RECOVERED)
  for (const [name, bytes] of [
    ['an error', packetOf(errorPayload(1045, 'Access denied'), 1)],
    ['EOF', packetOf(Buffer.from([0xfe, 0, 0, 2, 0]), 1)],
    ['nothing', packetHeader(0, 1)],
    ['zeros', Buffer.alloc(40)],
  ] as const) {
    const faults = [{ matches: ({ tag }: { tag: string }) => tag === 'registration', bend: instead(bytes) }]
    yield { ...stream('registration', conversation, [name, instead(bytes)], { ends: 'unharmed' }), server: { faults } }
  }
  for (const ending of ['close', 'stall'] as const) {
    const faults = [{ matches: ({ tag }: { tag: string }) => tag === 'registration', bend: cutAt(3, ending) }]
    yield {
      ...stream('registration', conversation, [ending, cutAt(3, ending)], { ends: 'recovered' }),
      server: { faults },
    }
  }
}

/** Dumps without end: the task must stay responsive, and its memory bounded. */
export function* endlessDumps(conversation: Conversation): Generator<FaultCase> {
  const beats = Buffer.concat(
    Array.from({ length: 256 }, (_, i) =>
      packetOf(
        Buffer.concat([
          Buffer.from([0]),
          eventOf({ type: HEARTBEAT, flags: 0x20, body: Buffer.from(conversation.binlog.file) }),
        ]),
        i,
      ),
    ),
  )
  const head = (bytes: Buffer): Buffer => bytes.subarray(0, 4 + bytes.readUIntLE(0, 3))
  yield stream('without end', conversation, ['packets with the same numbers', endless(head, beats)], RECOVERED)
  const part = Buffer.concat([packetHeader(0xff_ff_ff, 2), Buffer.alloc(0xff_ff_ff)])
  yield stream('without end', conversation, ['parts with the same number', endless(head, part)], RECOVERED)
}

/** Faults of the events of a dump. `step`: of so many bytes of an event one is changed. */
export function* dumpCases(conversation: Conversation, step: number): Generator<FaultCase> {
  yield { kind: 'healthy', name: 'stream', flavor: conversation.flavor, entry: 'stream', server: {}, ends: 'healthy' }
  yield {
    kind: 'healthy',
    name: 'snapshot',
    flavor: conversation.flavor,
    entry: 'snapshot',
    server: {},
    ends: 'healthy',
  }
  yield* bodies(conversation, step)
  yield* headers(conversation)
  yield* places(conversation)
  yield* packets(conversation)
}
