import { constants, zstdCompressSync } from 'node:zlib'
import { EventType } from '../binlog/event-type.ts'
import { summed } from './captured-binlog.ts'

export interface PayloadOptions {
  /** Default: zstd. */
  readonly compress?: (events: Buffer) => Buffer
  /** Code of the compression; default: that of zstd. */
  readonly method?: number
  /** Sizes that the event specifies; default: the actual ones. */
  readonly payloadBytes?: number
  readonly eventBytes?: number
  /** Where it begins in its file; default: 4. */
  readonly position?: number
  readonly hasChecksum?: boolean
}

/** A TRANSACTION_PAYLOAD_EVENT with these events (grammar: see transaction-payload.ts). */
export function payloadEvent(events: readonly Buffer[], options: PayloadOptions = {}): Buffer {
  const inside = Buffer.concat(events)
  const payload = (options.compress ?? zstdCompressSync)(inside)
  const { method = 0, payloadBytes = payload.length, eventBytes = inside.length } = options
  const { position = 4, hasChecksum = false } = options
  const fields = [
    [2, method],
    [3, eventBytes],
    [1, payloadBytes],
  ].flatMap(([type = 0, value = 0]) => [
    lengthEncoded(type),
    lengthEncoded(lengthEncoded(value).length),
    lengthEncoded(value),
  ])
  const header = Buffer.alloc(19)
  header[4] = EventType.transactionPayload
  const event = Buffer.concat([header, ...fields, Buffer.from([0]), payload])
  const size = event.length + (hasChecksum ? 4 : 0)
  event.writeUInt32LE(size, 9)
  event.writeUInt32LE(position + size, 13)
  return hasChecksum ? summed(event) : event
}

/** An event as it is inside a payload: without a checksum, and without its position. */
export function insideEvent(event: Buffer, hasChecksum: boolean): Buffer {
  const bare = Buffer.from(hasChecksum ? event.subarray(0, -4) : event)
  bare.writeUInt32LE(bare.length, 9)
  bare.writeUInt32LE(0, 13)
  return bare
}

/** As the server compresses a large transaction: without the size in the frame, at a level. */
export function compressStreamed(level: number): (events: Buffer) => Buffer {
  const { ZSTD_c_compressionLevel: levelKey, ZSTD_c_contentSizeFlag: sizeKey } = constants
  return (events) => zstdCompressSync(events, { params: { [levelKey]: level, [sizeKey]: 0 } })
}

function lengthEncoded(value: number): Buffer {
  if (value < 0xfb) return Buffer.from([value])
  if (value < 2 ** 16) return Buffer.from([0xfc, value & 0xff, value >> 8])
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xfe
  bytes.writeBigUInt64LE(BigInt(value), 1)
  return bytes
}
