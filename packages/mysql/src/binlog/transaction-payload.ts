import { type LengthCursor, readLengthEncoded } from '../types/length-encoded.ts'

/** The events of a transaction as one sequence of bytes, which is compressed. */
export interface TransactionPayload {
  readonly compression: 'zstd' | 'none'
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  /** Size of the events. */
  readonly eventBytes: number
}

/**
 * Body of TRANSACTION_PAYLOAD_EVENT (mysql/components/libs/binlog/event/control_events.h, since 8.0.20): fields, each
 * int<lenenc> type · int<lenenc> length · value · then the payload.
 *
 *     0  end of the fields, without a length
 *     1  int<lenenc> size of the payload
 *     2  int<lenenc> compression: 0 zstd, 255 none
 *     3  int<lenenc> size of the events; absent without compression
 *
 * Throws RangeError for other fields and for sizes that do not agree.
 */
export function parseTransactionPayload(bytes: Buffer, at: number, end: number): TransactionPayload {
  const { start, values } = readFields(bytes, at, end)
  const payloadBytes = end - start
  const size = values.get(PAYLOAD_SIZE) ?? payloadBytes
  if (size !== payloadBytes) throw new RangeError(`its payload has ${payloadBytes} bytes instead of ${size}`)
  const code = values.get(COMPRESSION)
  if (code !== ZSTD && code !== NONE) throw new RangeError(`its payload is compressed by the unknown method ${code}`)
  const compression = code === ZSTD ? 'zstd' : 'none'
  const eventBytes = values.get(EVENTS_SIZE) ?? (code === NONE ? payloadBytes : 0)
  if (eventBytes === 0) throw new RangeError('its payload has no events')
  return { compression, bytes, start, end, eventBytes }
}

function readFields(
  bytes: Buffer,
  at: number,
  end: number,
): { readonly start: number; readonly values: ReadonlyMap<number, number> } {
  const values = new Map<number, number>()
  const cursor: LengthCursor = { at }
  for (;;) {
    const type = readWithin(bytes, cursor, end)
    if (type === END_OF_FIELDS) return { start: cursor.at, values }
    const valueEnd = readWithin(bytes, cursor, end) + cursor.at
    // Servers repeat no field, and later ones may have more of them, which may change the meaning of the payload.
    if (type > EVENTS_SIZE || values.has(type)) throw new RangeError(`its payload has the unexpected field ${type}`)
    values.set(type, readWithin(bytes, cursor, Math.min(valueEnd, end)))
    if (cursor.at !== valueEnd) throw new RangeError(`the field ${type} of its payload has a wrong length`)
  }
}

function readWithin(bytes: Buffer, cursor: LengthCursor, end: number): number {
  const value = readLengthEncoded(bytes, cursor)
  if (cursor.at > end) throw new RangeError('it ends within the fields of its payload')
  return value
}

const END_OF_FIELDS = 0
const PAYLOAD_SIZE = 1
const COMPRESSION = 2
const EVENTS_SIZE = 3
const ZSTD = 0
const NONE = 255
