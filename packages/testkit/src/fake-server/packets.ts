/**
 * Packets of the client/server protocol, as a server writes them. Packet (protocol page "MySQL Packets"): int<3> length
 * of the payload · int<1> sequence number · payload. A payload of 2^24-1 bytes and more continues in the next packet.
 */

/** One packet, or several for a payload of 2^24-1 bytes and more. */
export function packetOf(payload: Buffer, firstSequence: number): Buffer {
  const parts: Buffer[] = []
  for (let at = 0, sequence = firstSequence; ; at += PAYLOAD_MAX, sequence++) {
    const part = payload.subarray(at, at + PAYLOAD_MAX)
    parts.push(packetHeader(part.length, sequence), part)
    if (part.length < PAYLOAD_MAX) return Buffer.concat(parts)
  }
}

/** Also for headers that do not match what follows them. */
export function packetHeader(length: number, sequence: number): Buffer {
  const header = Buffer.alloc(4)
  header.writeUIntLE(length, 0, 3)
  header[3] = sequence & 0xff
  return header
}

/** Packets with consecutive sequence numbers. */
export function packetsOf(payloads: readonly Buffer[], firstSequence: number): Buffer {
  return Buffer.concat(payloads.map((payload, i) => packetOf(payload, firstSequence + i)))
}

/** The payloads of complete small packets. */
export function payloadsOf(bytes: Buffer): Buffer[] {
  const payloads: Buffer[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4 + bytes.readUIntLE(at, 3)) {
    payloads.push(bytes.subarray(at + 4, at + 4 + bytes.readUIntLE(at, 3)))
  }
  return payloads
}

/** OK: 0x00 · affected rows · insert id · int<2> status (autocommit) · int<2> warnings. */
export const OK: Buffer = Buffer.from([0, 0, 0, 2, 0, 0, 0])

/** EOF: 0xfe · int<2> warnings · int<2> status (autocommit). */
export const EOF: Buffer = Buffer.from([0xfe, 0, 0, 2, 0])

/** ERR: 0xff · int<2> number · '#' · string<5> SQL state · string<EOF> message. Before the login it has no state. */
export function errorPayload(errno: number, message: string, sqlState: string | null = 'HY000'): Buffer {
  const head = Buffer.from([0xff, errno & 0xff, errno >> 8])
  return Buffer.concat([head, Buffer.from(`${sqlState === null ? '' : `#${sqlState}`}${message}`)])
}

/** string<lenenc> of less than 64 KiB, or NULL. */
export function lengthEncoded(value: string | Buffer | null): Buffer {
  if (value === null) return Buffer.from([0xfb])
  const bytes = Buffer.from(value)
  const head = bytes.length < 0xfb ? [bytes.length] : [0xfc, bytes.length & 0xff, bytes.length >> 8]
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Column definition of a VARCHAR in utf8mb4 (protocol page "Protocol::ColumnDefinition41"). */
export function columnDefinition(name: string): Buffer {
  const texts = ['def', '', '', '', name, ''].map(lengthEncoded)
  // Fields of fixed length: 12 bytes · collation 45 · length · type 0xfd · flags · decimals · filler.
  return Buffer.concat([...texts, Buffer.from([0x0c, 45, 0, 0xff, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0])])
}

/** The payloads of a text result: number of columns · definitions · EOF · rows · EOF. */
export function resultPayloads(columns: readonly string[], rows: readonly (readonly (string | null)[])[]): Buffer[] {
  const ofRows = rows.map((row) => Buffer.concat(row.map(lengthEncoded)))
  return [Buffer.from([columns.length]), ...columns.map(columnDefinition), EOF, ...ofRows, EOF]
}

const PAYLOAD_MAX = 0xff_ff_ff
