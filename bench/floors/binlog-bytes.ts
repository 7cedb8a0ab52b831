import type { DatabaseServer } from '@tributary/testkit'
import { MySqlConnection, type TlsMode } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'

export interface BytesCounted {
  readonly events: number
  readonly bytes: number
  readonly seconds: number
  readonly processorSeconds: number
}

/** Reads the binlog from a position to its end, and counts packets and bytes without parsing them. */
export async function countBinlogBytes(
  { host, port }: DatabaseServer,
  from: { readonly file: string; readonly position: number },
  mode: TlsMode,
): Promise<BytesCounted> {
  const connection = await MySqlConnection.open({
    host,
    port,
    user: 'root',
    password: '',
    tls: { mode },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  })
  try {
    await connection.query(
      'SET @source_binlog_checksum = @@global.binlog_checksum',
      'setting the checksum of the binlog dump',
    )
    const exchange = connection.exchange()
    const { packets } = exchange
    const begin = performance.now()
    const usage = process.cpuUsage()
    exchange.command(COM_BINLOG_DUMP, dumpPayload(from))
    let events = 0
    let bytes = 0
    for (;;) {
      while (packets.next()) {
        const first = packets.bytes[packets.start]
        if (first === ERR_PACKET) throw new Error(packets.bytes.toString('latin1', packets.start + 9, packets.end))
        if (first === EOF_PACKET && packets.end - packets.start < EOF_BYTES_MAX) {
          const { user, system } = process.cpuUsage(usage)
          return { events, bytes, seconds: (performance.now() - begin) / 1000, processorSeconds: (user + system) / 1e6 }
        }
        events += 1
        bytes += packets.end - packets.start
      }
      await packets.wait()
    }
  } finally {
    await connection.close()
  }
}

/** Packet COM_BINLOG_DUMP: int<4> position · int<2> flags · int<4> server id · string<EOF> file. */
function dumpPayload({ file, position }: { readonly file: string; readonly position: number }): Buffer {
  const payload = Buffer.alloc(10 + file.length)
  payload.writeUInt32LE(position, 0)
  payload.writeUInt16LE(BINLOG_DUMP_NON_BLOCK, 4)
  payload.writeUInt32LE(SERVER_ID, 6)
  payload.write(file, 10, 'latin1')
  return payload
}

const COM_BINLOG_DUMP = 0x12
/** At the end of the binlog, the server sends an EOF packet instead of waiting for more events. */
const BINLOG_DUMP_NON_BLOCK = 0x01
const SERVER_ID = 4_000_000
const ERR_PACKET = 0xff
const EOF_PACKET = 0xfe
const EOF_BYTES_MAX = 9
