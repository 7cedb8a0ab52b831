import type { Header, HeaderConverter, SourceRecord, ValueEncoder } from '@tributary/connect-api'
import type { RecordHeader, RecordPart } from '@tributary/kafka'
import { ByteWriter, isPoisonOn, poisonBytes, SharedMemory } from '@tributary/support'
import type { OpenTopic } from './admission/open-topics.ts'
import type { EncodedRecord } from './delivery/delivery.ts'
import { recordFailure, type FailedStage } from './record-failure.ts'

/**
 * Turns admitted records into bytes. Key and value are written into buffers that every record uses again: the bytes are
 * valid until the next record is encoded, and no longer than until the poll is over.
 */
export class RecordEncoder {
  readonly #headerConverter: HeaderConverter
  readonly #keyPart = new WriterPart(BUFFER_BYTES)
  readonly #valuePart: WriterPart
  /** The list of headers encoded last, and its bytes. */
  #headers: readonly Header[] = []
  #encodedHeaders: readonly RecordHeader[] = NO_HEADERS
  readonly #headerKeys = new Map<string, Buffer>()
  readonly #encoded: EncodedRecord = {
    key: null,
    value: null,
    headers: NO_HEADERS,
    partition: null,
    timestamp: null,
    token: 0,
  }

  constructor(headerConverter: HeaderConverter) {
    this.#headerConverter = headerConverter
    this.#valuePart = new WriterPart(SharedMemory.ofThread()?.allocateBuffer(VALUE_BYTES) ?? BUFFER_BYTES)
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
      if (record.headers !== this.#headers) this.#encodeHeaders(record.headers)
      encoded.headers = this.#encodedHeaders
      if (encoded.key !== null && keyEncoder.headers !== undefined) this.#addHeaders(keyEncoder.headers)
      if (encoded.value !== null && valueEncoder.headers !== undefined) this.#addHeaders(valueEncoder.headers)
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

  /** Appends the headers of a converter to those of the record. */
  #addHeaders(headers: readonly RecordHeader[]): void {
    if (headers.length > 0) this.#encoded.headers = [...this.#encoded.headers, ...headers]
  }

  /** Connectors use the same list of headers for nearly all records. */
  #encodeHeaders(headers: readonly Header[]): void {
    this.#encodedHeaders = headers.map(({ key, schema, value }) => {
      const bytes = this.#headerConverter.encode(schema, value)
      return { key: this.#headerKey(key), value: bytes === null ? null : asBuffer(bytes) }
    })
    this.#headers = headers
  }

  /** A transformation may add headers to each record; their keys are the same ones. */
  #headerKey(key: string): Buffer {
    let bytes = this.#headerKeys.get(key)
    if (bytes === undefined) {
      bytes = Buffer.from(key)
      if (this.#headerKeys.size < HEADER_KEYS_MAX) this.#headerKeys.set(key, bytes)
    }
    return bytes
  }

  /** The records of the poll are sent: the encoded bytes may not be used any more. */
  endPoll(): void {
    if (isPoisonOn) for (const part of [this.#keyPart, this.#valuePart]) part.poison()
  }
}

/** Key or value: a buffer that each record is written into. */
class WriterPart implements RecordPart {
  prefix: Uint8Array = new Uint8Array(0)
  buffer: Buffer = Buffer.alloc(0)
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
/** A key may derive from data. */
const HEADER_KEYS_MAX = 1_000

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

const NO_HEADERS: readonly RecordHeader[] = []
