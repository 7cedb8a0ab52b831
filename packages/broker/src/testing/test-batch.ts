import { BATCH_HEADER_BYTES, BATCH_PREFIX_BYTES } from '../batch/batch-header.ts'
import { stampChecksum } from '../batch/checksum.ts'

export interface TestBatch {
  /** ASCII; the key is `k` or null. */
  readonly values: readonly string[]
  readonly hasKeys: boolean
  readonly timestamp: number
  readonly producerId?: bigint
  readonly epoch?: number
  readonly sequence?: number
  readonly isTransactional?: boolean
}

/**
 * A batch in Kafka's format.
 *
 *     record => length, attributes 0, timestampDelta 0, offsetDelta, keyLength, key, valueLength, value, headers 0
 */
export function testBatch(options: TestBatch): Buffer {
  const { values, hasKeys, timestamp, producerId = -1n, epoch = -1, sequence = -1, isTransactional = false } = options
  const records = values.map((value, i) => {
    const key = hasKeys ? [...varint(1), 'k'.charCodeAt(0)] : varint(-1)
    const head = Buffer.from([0, 0, ...varint(i), ...key, ...varint(value.length)])
    const body = [head, Buffer.from(value), Buffer.from([0])]
    return Buffer.concat([Buffer.from(varint(head.length + value.length + 1)), ...body])
  })
  const batch = Buffer.concat([Buffer.alloc(BATCH_HEADER_BYTES), ...records])
  batch.writeInt32BE(batch.length - BATCH_PREFIX_BYTES, 8)
  batch.writeInt32BE(-1, 12)
  batch.writeInt8(2, 16)
  batch.writeInt16BE(isTransactional ? 1 << 4 : 0, 21)
  batch.writeInt32BE(values.length - 1, 23)
  batch.writeBigInt64BE(BigInt(timestamp), 27)
  batch.writeBigInt64BE(BigInt(timestamp), 35)
  batch.writeBigInt64BE(producerId, 43)
  batch.writeInt16BE(epoch, 51)
  batch.writeInt32BE(sequence, 53)
  batch.writeInt32BE(values.length, 57)
  stampChecksum(batch)
  return batch
}

/** In zigzag form. */
function varint(value: number): readonly number[] {
  const bytes: number[] = []
  let rest = value >= 0 ? 2 * value : -2 * value - 1
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return [...bytes, rest]
}
