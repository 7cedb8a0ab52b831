import { crc32 } from '@node-rs/crc32'

/**
 * A record of a spool segment: int<4> CRC-32 · int<4> length of the payload · payload. The CRC-32 covers the length and
 * the payload, and is seeded with the CRC-32 of the record before it. So it also proves that no record is missing,
 * moved, or from another file.
 *
 * The payload of the first record is the head of the segment; each other one is a packet of the dump: 0x00 · event.
 */
export const RECORD_HEADER_BYTES = 8

/** Servers send at most 1 GiB in a packet. */
export const PAYLOAD_BYTES_MAX = 0x40_00_00_10

/**
 * Writes a record into `target` at an offset, which has room for it, and returns its CRC-32.
 *
 * @param before CRC-32 of the record before it; 0 for the first one of a segment
 */
export function writeRecord(target: Buffer, at: number, payload: Buffer, before: number): number {
  target.writeUInt32LE(payload.length, at + 4)
  payload.copy(target, at + RECORD_HEADER_BYTES)
  const crc = crc32(target.subarray(at + 4, at + RECORD_HEADER_BYTES + payload.length), before)
  target.writeUInt32LE(crc, at)
  return crc
}

/** The length of a payload by its header at an offset; null: no record is so long. */
export function payloadLength(bytes: Buffer, at: number): number | null {
  const length = bytes.readUInt32LE(at + 4)
  return length <= PAYLOAD_BYTES_MAX ? length : null
}

/** The CRC-32 of a record that is completely in `bytes`; null when the record is damaged. */
export function checkedCrc(bytes: Buffer, at: number, before: number): number | null {
  const length = bytes.readUInt32LE(at + 4)
  const crc = crc32(bytes.subarray(at + 4, at + RECORD_HEADER_BYTES + length), before)
  return crc === bytes.readUInt32LE(at) ? crc : null
}
