import type { EncodedHeader, HeaderConverter, SourceRecord, ValueEncoder } from '@tributary/connect-api'
import type { RecordPart } from '@tributary/kafka'
import { ByteWriter, isPoisonOn, poisonBytes, SharedMemory } from '@tributary/support'
import type { OpenTopic } from './admission/open-topics.ts'
import type { EncodedRecord } from './delivery/delivery.ts'
import { recordFailure, type FailedStage } from './record-failure.ts'
import { RecordHeaders } from './record-headers.ts'

/**
 * Turns admitted records into bytes. Key, value and headers are written into buffers that every record uses again: the bytes are
 * valid until the next record is encoded, and no longer than until the poll is over.
 */
export class RecordEncoder implements Disposable {
  readonly #keyPart = new WriterPart(BUFFER_BYTES)
  /** In the memory of the thread's WebAssembly modules; null when that is full or there is none. */
  readonly #room: Buffer | null
  readonly #valuePart: WriterPart
  readonly #headers: RecordHeaders
  readonly #encoded: EncodedRecord = {
    key: null,
    value: null,
    headers: [],
    partition: null,
    timestamp: null,
    token: 0,
  }

  constructor(headerConverter: HeaderConverter) {
    this.#headers = new RecordHeaders(headerConverter)
    this.#room = SharedMemory.ofThread()?.allocateBuffer(VALUE_BYTES) ?? null
    this.#valuePart = new WriterPart(this.#room ?? BUFFER_BYTES)
  }

  /** The last record's bytes are not valid any more. */
  [Symbol.dispose](): void {
    if (this.#room !== null) SharedMemory.ofThread()?.freeBuffer(this.#room)
  }

  /** @throws RECORD_FAILED when a value does not fit its schema */
  encode(record: SourceRecord, topic: OpenTopic): EncodedRecord {
    const encoded = this.#encoded
    let stage: FailedStage = 'KEY_CONVERTER'
    try {
      const keyEncoder = topic.keyEncoder(record.keySchema)
      encoded.key = this.#keyPart.fill(keyEncoder, record.key)
      stage = 'VALUE_CONVERTER'
      const valueEncoder = topic.valueEncoder(record.valueSchema)
      encoded.value = this.#valuePart.fill(valueEncoder, record.value)
      stage = 'HEADER_CONVERTER'
      const ofKey = encoded.key === null ? NO_HEADERS : (keyEncoder.headers ?? NO_HEADERS)
      const ofValue = encoded.value === null ? NO_HEADERS : (valueEncoder.headers ?? NO_HEADERS)
      encoded.headers = this.#headers.encode(record.headers, ofKey, ofValue)
    } catch (error) {
      throw recordFailure(record, { stage }, error)
    }
    encoded.partition = record.partition
    encoded.timestamp = record.timestamp
    return encoded
  }

  /** The size of key and value of the record that was encoded last. */
  get encodedBytes(): number {
    return this.#keyPart.size + this.#valuePart.size
  }

  /** The records of the poll are sent: the encoded bytes may not be used any more. */
  endPoll(): void {
    if (isPoisonOn) for (const part of [this.#keyPart, this.#valuePart, this.#headers]) part.poison()
  }
}

/** Key or value: a buffer that each record is written into. */
class WriterPart implements RecordPart {
  prefix: Uint8Array = new Uint8Array(0)
  buffer: Buffer = Buffer.alloc(0)
  view: DataView = new DataView(this.buffer.buffer, 0, 0)
  readonly start = 0
  end = 0
  /** Of the last record's key or value, with its prefix; 0 for null. */
  size = 0
  readonly #writer: ByteWriter

  constructor(room: number | Buffer) {
    this.#writer = new ByteWriter(room)
  }

  /** The part with the value's bytes; null when the value is Kafka's null. */
  fill(encoder: ValueEncoder, value: SourceRecord['value']): RecordPart | null {
    const writer = this.#writer
    writer.reset()
    this.size = 0
    if (!encoder.write(value, writer)) return null
    this.prefix = encoder.prefix
    this.buffer = writer.bytes
    this.view = writer.view
    this.end = writer.position
    this.size = this.prefix.length + this.end
    return this
  }

  poison(): void {
    poisonBytes(this.buffer)
  }
}

const BUFFER_BYTES = 1 << 14
/**
 * Values are written into the shared memory of WebAssembly, where long texts are escaped and searched in place; a
 * larger value has a buffer of its own.
 */
const VALUE_BYTES = 9 * 2 ** 16
const NO_HEADERS: readonly EncodedHeader[] = []
