/*
 * Reads record batches by the grammar of Kafka's protocol guide ("Record Batch"), without the readers of the product:
 *
 *     baseOffset INT64, batchLength INT32, partitionLeaderEpoch INT32, magic INT8, crc UINT32, attributes INT16,
 *     lastOffsetDelta INT32, baseTimestamp INT64, maxTimestamp INT64, producerId INT64, producerEpoch INT16,
 *     baseSequence INT32, records: count INT32, then each: length VARINT, attributes INT8, timestampDelta VARLONG,
 *     offsetDelta VARINT, keyLength VARINT, key, valueLength VARINT, value, headers
 */

export interface SeenBatch {
  readonly producerId: bigint
  readonly isTransactional: boolean
  /** For a control batch, whether it commits. */
  readonly marker: 'commit' | 'abort' | null
  readonly records: readonly SeenRecord[]
}

export interface SeenRecord {
  readonly key: string | null
  readonly value: string | null
}

const CODEC_BITS = 0b111
const TRANSACTIONAL_BIT = 1 << 4
const CONTROL_BIT = 1 << 5

export function readBatch(bytes: Buffer): SeenBatch {
  const attributes = bytes.readInt16BE(21)
  if ((attributes & CODEC_BITS) !== 0) throw new RangeError('a compressed batch: the simulated clients use no codec')
  const producerId = bytes.readBigInt64BE(43)
  const isTransactional = (attributes & TRANSACTIONAL_BIT) !== 0
  const count = bytes.readInt32BE(57)
  const reader = new VarintReader(bytes, 61)
  if ((attributes & CONTROL_BIT) !== 0) {
    reader.skipHead()
    const key = reader.bytes()
    const marker = key?.readInt16BE(2) === 1 ? 'commit' : 'abort'
    return { producerId, isTransactional, marker, records: [] }
  }
  const records: SeenRecord[] = []
  for (let i = 0; i < count; i++) {
    const end = reader.skipHead()
    records.push({ key: reader.text(), value: reader.text() })
    reader.at = end
  }
  return { producerId, isTransactional, marker: null, records }
}

class VarintReader {
  readonly #bytes: Buffer
  at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw new RangeError('the batch ends within a number')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) break
      factor *= 128
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** Reads up to the key, and returns where the record ends. */
  skipHead(): number {
    const length = this.varint()
    const end = this.at + length
    this.at += 1
    this.varint()
    this.varint()
    return end
  }

  bytes(): Buffer | null {
    const length = this.varint()
    if (length < 0) return null
    const read = this.#bytes.subarray(this.at, this.at + length)
    this.at += length
    return read
  }

  text(): string | null {
    return this.bytes()?.toString('utf8') ?? null
  }
}
