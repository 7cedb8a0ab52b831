import { runtimeErrors } from '../../errors.ts'

/**
 * Reads the primitive types of Kafka's protocol from bytes that another worker has written. Every length is checked
 * against the bytes that are left before anything is allocated.
 *
 * @throws GROUP_PROTOCOL_DAMAGED, which names the field
 */
export class WireReader {
  readonly #bytes: Buffer
  readonly #what: string
  #at = 0

  /** `what` names the bytes in errors: “the metadata of a member”. */
  constructor(bytes: Buffer, what: string) {
    this.#bytes = bytes
    this.#what = what
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  int16(field: string): number {
    return this.#bytes.readInt16BE(this.#advance(2, field))
  }

  int32(field: string): number {
    return this.#bytes.readInt32BE(this.#advance(4, field))
  }

  int64(field: string): bigint {
    return this.#bytes.readBigInt64BE(this.#advance(8, field))
  }

  string(field: string): string {
    const length = this.int16(field)
    if (length < 0) throw this.damaged(field, `its length is ${length}`)
    const at = this.#advance(length, field)
    return this.#bytes.toString('utf8', at, at + length)
  }

  /** Null when the length is negative, as in Kafka. */
  nullableBytes(field: string): Buffer | null {
    const length = this.int32(field)
    if (length < 0) return null
    const at = this.#advance(length, field)
    return this.#bytes.subarray(at, at + length)
  }

  /** Null when the count is negative. `leastBytes`: the fewest bytes that an item needs, which bounds the count. */
  nullableArray<T>(field: string, leastBytes: number, item: () => T): readonly T[] | null {
    const count = this.int32(field)
    if (count < 0) return null
    const left = this.#bytes.length - this.#at
    if (count * leastBytes > left) throw this.damaged(field, `it declares ${count} items, but ${left} bytes follow`)
    return Array.from({ length: count }, item)
  }

  /** The bytes that are left. */
  rest(): Buffer {
    return this.#bytes.subarray(this.#at)
  }

  damaged(field: string, reason: string): Error {
    return runtimeErrors.GROUP_PROTOCOL_DAMAGED({ what: this.#what, field, reason })
  }

  #advance(length: number, field: string): number {
    const at = this.#at
    const left = this.#bytes.length - at
    if (length > left) throw this.damaged(field, `it needs ${length} bytes, but ${left} follow`)
    this.#at += length
    return at
  }
}
