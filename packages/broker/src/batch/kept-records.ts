import type { BatchRecord } from '@tributary/kafka'
import { stampChecksum } from './checksum.ts'
import { withRecords } from './batch-header.ts'

/**
 * A batch with some of its records, without compression. Offsets, times and sequence numbers are those of the batch;
 * without records it still shows the last sequence number of its producer, as a cleaned batch of Kafka.
 *
 *     record => length, attributes 0, timestampDelta, offsetDelta, keyLength, key, valueLength, value,
 *               headerCount, [headerKeyLength, headerKey, headerValueLength, headerValue]      (zigzag varints)
 */
export function keepRecords(batch: Buffer, records: readonly BatchRecord[]): Buffer {
  const baseTimestamp = Number(batch.readBigInt64BE(BASE_TIMESTAMP_AT))
  const kept = withRecords(
    batch,
    records.map((record) => recordBytes(record, baseTimestamp)),
  )
  stampChecksum(kept)
  return kept
}

const BASE_TIMESTAMP_AT = 27

function recordBytes({ timestamp, offsetDelta, key, value, headers }: BatchRecord, baseTimestamp: number): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(timestamp - baseTimestamp),
    varint(offsetDelta),
    field(key),
    field(value),
    varint(headers.length),
    ...headers.flatMap((header) => [field(header.key), field(header.value)]),
  ])
  return Buffer.concat([varint(body.length), body])
}

function field(bytes: Buffer | null): Buffer {
  return bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes])
}

/** In zigzag form, of up to 2^53. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value >= 0 ? 2 * value : -2 * value - 1
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}
