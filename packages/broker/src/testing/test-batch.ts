import { BATCH_HEADER_BYTES, BATCH_PREFIX_BYTES } from '../batch/batch-header.ts'
import { stampChecksum } from '../batch/checksum.ts'

export interface TestBatch {
  /** ASCII. */
  readonly values: readonly (string | null)[]
  /** Whether records have a key. */
  readonly hasKeys: boolean
  /** Of each record; ASCII. Default: all have `k`. */
  readonly keys?: readonly string[]
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
  const {
    values,
    hasKeys,
    keys = [],
    timestamp,
    producerId = -1n,
    epoch = -1,
    sequence = -1,
    isTransactional = false,
  } = options
  const records = values.map((value, i) => {
    const [key, text] = [field(hasKeys ? (keys[i] ?? 'k') : null), field(value)]
    const body = Buffer.concat([Buffer.from([0, 0, ...varint(i)]), key, text, Buffer.from([0])])
    return Buffer.concat([Buffer.from(varint(body.length)), body])
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

function field(text: string | null): Buffer {
  return text === null ? Buffer.from(varint(-1)) : Buffer.concat([Buffer.from(varint(text.length)), Buffer.from(text)])
}

/** In zigzag form. */
function varint(value: number): readonly number[] {
  const bytes: number[] = []
  let rest = value >= 0 ? 2 * value : -2 * value - 1
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return [...bytes, rest]
}
