import { ByteWriter, unreachable } from '@tributary/support'
import type { MySqlConnection } from '../connection/mysql-connection.ts'
import type { RawExchange } from '../connection/raw-exchange.ts'
import type { MariaDbGtidSet } from '../gtid/mariadb-gtid-set.ts'
import type { MySqlGtidSet } from '../gtid/mysql-gtid-set.ts'
import { mysqlErrors } from '../errors.ts'
import { readServerError } from './server-error.ts'

/** Where the dump starts. */
export type DumpStart =
  | { readonly tag: 'position'; readonly file: string; readonly position: number }
  /** The server sends every transaction that is not in the set. */
  | { readonly tag: 'mysqlGtids'; readonly executed: MySqlGtidSet }
  /** The server sends what follows the position. */
  | { readonly tag: 'mariadbGtids'; readonly position: MariaDbGtidSet }

export interface DumpOptions {
  readonly flavor: 'mysql' | 'mariadb'
  readonly start: DumpStart
  /**
   * Identifies the client; a server ends the dump of a replica when another one with the same id connects. 0: no
   * replica. The dump then ends at the end of the binlog instead of waiting for more.
   */
  readonly serverId: number
  /**
   * Identifies the client across reconnects: the server ends a dump thread that an earlier connection with this UUID
   * left. Not used with the server id 0.
   */
  readonly replicaUuid: string
  /** The server sends a heartbeat after so long without an event. */
  readonly heartbeatMs: number
  /** Requests the statements that caused the row events (MariaDB: annotate rows). */
  readonly wantsStatements: boolean
}

/**
 * Registers as a replica and requests the binlog. The exchange then yields one packet per event (protocol page
 * "COM_BINLOG_DUMP"): 0x00 · event, 0xff · error, or 0xfe: end of a non-blocking dump.
 */
export async function startBinlogDump(
  connection: MySqlConnection,
  options: DumpOptions,
  signal?: AbortSignal,
): Promise<RawExchange> {
  requireNameable(connection.address, options.start)
  await setUpSession(connection, options, signal)
  const exchange = connection.exchange()
  try {
    if (options.serverId !== 0) {
      exchange.command(COM_REGISTER_SLAVE, registration(options.serverId))
      await readOk(exchange, signal)
    }
    sendDump(exchange, options)
    return exchange
  } catch (error) {
    if (!isDenied(error)) throw connection.wrap(error, 'requesting the binlog')
    throw mysqlErrors.BINLOG_NOT_ALLOWED({ address: connection.address, reason: error.message }, error)
  }
}

/** Servers deny access with two errors: of the command (1045), or of the missing privilege (1227). */
function isDenied(error: unknown): error is Error {
  return error instanceof Error && 'errno' in error && (error.errno === 1045 || error.errno === 1227)
}

/** A transaction is never split, so a file may be longer than 4 GiB, the largest position in COM_BINLOG_DUMP. */
function requireNameable(address: string, start: DumpStart): void {
  if (start.tag !== 'position' || start.position <= POSITION_MAX) return
  throw mysqlErrors.BINLOG_REFUSED({
    address,
    position: `${start.file}:${start.position}`,
    reason: 'a dump by position cannot start after the first 4 GiB of a file (a dump by GTIDs can)',
  })
}

/**
 * Session variables that the server's dump thread reads. MySQL 8.0.26 renamed them; servers ignore the other spelling.
 */
async function setUpSession(
  connection: MySqlConnection,
  options: DumpOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const heartbeatNs = BigInt(options.heartbeatMs) * 1_000_000n
  const set = (text: string): Promise<unknown> =>
    connection.query(`SET ${text}`, 'setting up the binlog dump', { signal })
  await set(`@master_heartbeat_period = ${heartbeatNs}, @source_heartbeat_period = ${heartbeatNs}`)
  // BinlogReader verifies the checksums; without these variables the server removes them from the events.
  await set('@master_binlog_checksum = @@global.binlog_checksum, @source_binlog_checksum = @@global.binlog_checksum')
  if (options.serverId !== 0)
    await set(`@slave_uuid = '${options.replicaUuid}', @replica_uuid = '${options.replicaUuid}'`)
  // Keeps the server from closing the connection while the task waits for the brokers.
  await set(`SESSION net_write_timeout = ${NET_WRITE_TIMEOUT_S}`)
  if (options.flavor !== 'mariadb') return
  // 4: the client understands MariaDB's GTID events, so the server does not replace them.
  await set('@mariadb_slave_capability = 4')
  if (options.start.tag !== 'mariadbGtids') return
  await set(`@slave_connect_state = '${String(options.start.position)}'`)
  await set('@slave_gtid_strict_mode = 0, @slave_gtid_ignore_duplicates = 0')
}

/**
 * Packet COM_REGISTER_SLAVE: int<4> server id · string<lenenc1> host, user, password (empty: SHOW REPLICAS shows none)
 * · int<2> port · int<4> rank · int<4> source id.
 */
function registration(serverId: number): Buffer {
  const payload = Buffer.alloc(17)
  payload.writeUInt32LE(serverId, 0)
  return payload
}

function sendDump(exchange: RawExchange, options: DumpOptions): void {
  // MySQL sends the statements without a request; there the same bit means heartbeats of version 2.
  const flags = options.wantsStatements && options.flavor === 'mariadb' ? BINLOG_SEND_ANNOTATE_ROWS_EVENT : 0
  switch (options.start.tag) {
    case 'mysqlGtids':
      exchange.command(COM_BINLOG_DUMP_GTID, gtidDump(options.serverId, options.start.executed))
      return
    case 'mariadbGtids':
      exchange.command(COM_BINLOG_DUMP, positionDump(options.serverId, flags, '', 4))
      return
    case 'position':
      exchange.command(
        COM_BINLOG_DUMP,
        positionDump(options.serverId, flags, options.start.file, options.start.position),
      )
      return
    default:
      unreachable(options.start)
  }
}

/** Packet COM_BINLOG_DUMP: int<4> position · int<2> flags · int<4> server id · string<EOF> file. */
function positionDump(serverId: number, flags: number, file: string, position: number): Buffer {
  const name = Buffer.from(file)
  const payload = Buffer.alloc(10 + name.length)
  payload.writeUInt32LE(position, 0)
  payload.writeUInt16LE(flags, 4)
  payload.writeUInt32LE(serverId, 6)
  name.copy(payload, 10)
  return payload
}

/**
 * Packet COM_BINLOG_DUMP_GTID: int<2> flags · int<4> server id · string<4> file (empty) · int<8> position · string<4>
 * set. Without the file the server starts at the oldest file with a transaction outside the set.
 */
function gtidDump(serverId: number, executed: MySqlGtidSet): Buffer {
  const set = encodeGtidSet(executed)
  const payload = Buffer.alloc(22 + set.length)
  payload.writeUInt16LE(BINLOG_THROUGH_GTID, 0)
  payload.writeUInt32LE(serverId, 2)
  payload.writeUInt32LE(0, 6)
  payload.writeBigUInt64LE(4n, 10)
  payload.writeUInt32LE(set.length, 18)
  set.copy(payload, 22)
  return payload
}

/**
 * Sets with tags have their own encoding (MySQL 8.3, rpl_gtid_set.cc, Gtid_format::tagged): the first eight bytes hold
 * format 1 in the lowest and the highest byte with the count of (uuid, tag) pairs between; each pair is 16 bytes UUID ·
 * string<varlen> tag · int<8> intervals ….
 */
function encodeGtidSet(set: MySqlGtidSet): Buffer {
  const entries = [...set.entries()]
  if (entries.every(([source]) => !source.includes(':'))) return set.encode()
  const out = new ByteWriter(256)
  const int64 = (value: bigint): void => {
    out.reserve(8)
    out.position = out.bytes.writeBigUInt64LE(value, out.position)
  }
  int64((1n << 56n) | (BigInt(entries.length) << 8n) | 1n)
  for (const [source, bounds] of entries) {
    const [uuid = '', tag = ''] = source.split(':')
    out.write(Buffer.from(uuid.replaceAll('-', ''), 'hex'))
    // Tags are at most 32 bytes, so the variable-length integer of mysql::serialization is one byte: length × 2.
    out.byte(tag.length << 1)
    out.ascii(tag)
    int64(BigInt(bounds.length / 2))
    for (const bound of bounds) int64(BigInt(bound))
  }
  return out.copy()
}

async function readOk({ packets }: RawExchange, signal: AbortSignal | undefined): Promise<void> {
  while (!packets.next()) await packets.wait(signal)
  const { bytes, start, end } = packets
  const first = end === start ? null : bytes[start]
  if (first === ERR_PACKET) throw readServerError(bytes, start, end)
  if (first !== OK_PACKET)
    throw new RangeError('the answer to the registration as a replica is neither OK nor an error')
}

const POSITION_MAX = 0xff_ff_ff_ff
const COM_BINLOG_DUMP = 0x12
const COM_REGISTER_SLAVE = 0x15
const COM_BINLOG_DUMP_GTID = 0x1e
const BINLOG_THROUGH_GTID = 0x04
const BINLOG_SEND_ANNOTATE_ROWS_EVENT = 0x02
const OK_PACKET = 0x00
const ERR_PACKET = 0xff
/** One day: longer than any pause after which the task continues; the server's default is 60 s. */
const NET_WRITE_TIMEOUT_S = 86_400
