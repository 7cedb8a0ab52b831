import { ByteWriter, isPoisonOn, poisonBytes } from '@tributary/support'
import type { HeaderRun, RecordHeader } from '../api/records.ts'
import { readHeaders } from './batch-reader.ts'
import { writeVarint } from './varint.ts'

/**
 * Headers in the form in which a batch contains them, for callers whose headers differ from record to record: no header
 * needs an object or a buffer of its own, and the batch copies all of them at once. One block serves one record after
 * the other.
 *
 *     block.clear()
 *     block.add(key, value, valueBytes)
 *     topic.send({ key: null, value, headers: block, partition: null, timestamp: null, token: 1 })
 */
export class HeaderBlock implements HeaderRun {
  count = 0
  readonly #out: ByteWriter = new ByteWriter(Buffer.allocUnsafeSlow(ROOM_BYTES))

  get buffer(): Buffer {
    return this.#out.bytes
  }

  get view(): DataView {
    return this.#out.view
  }

  get end(): number {
    return this.#out.position
  }

  clear(): void {
    this.count = 0
    this.#out.reset()
  }

  /** Appends a header. Its value is the first `valueBytes` bytes of `value`, or Kafka's null. */
  add(key: Uint8Array, value: Uint8Array | null, valueBytes: number): void {
    const out = this.#out
    this.#length(key.length)
    out.write(key)
    if (value === null) {
      this.#length(-1)
    } else {
      this.#length(valueBytes)
      out.writeRange(value, 0, valueBytes)
    }
    this.count += 1
  }

  #length(length: number): void {
    const out = this.#out
    out.reserve(LENGTH_BYTES_MAX)
    out.position = writeVarint(out.bytes, out.position, length)
  }

  list(): readonly RecordHeader[] {
    return readHeaders(this.#out.copy(), this.count)
  }

  /** The headers are used no more. */
  poison(): void {
    if (isPoisonOn) poisonBytes(this.#out.bytes)
  }
}

/** The headers of a record rarely take more; the memory of longer ones is not kept. */
const ROOM_BYTES = 1024
const LENGTH_BYTES_MAX = 5
