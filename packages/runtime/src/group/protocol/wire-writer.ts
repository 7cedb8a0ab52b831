import { assert } from '@tributary/support'

/** Writes the primitive types of Kafka's protocol. */
export class WireWriter {
  readonly #parts: Buffer[] = []

  int16(value: number): this {
    const part = Buffer.alloc(2)
    part.writeInt16BE(value)
    return this.#add(part)
  }

  int32(value: number): this {
    const part = Buffer.alloc(4)
    part.writeInt32BE(value)
    return this.#add(part)
  }

  int64(value: bigint): this {
    const part = Buffer.alloc(8)
    part.writeBigInt64BE(value)
    return this.#add(part)
  }

  string(text: string): this {
    const bytes = Buffer.from(text)
    assert(bytes.length <= STRING_BYTES_MAX, 'a string of the group protocol has at most 32,767 bytes')
    return this.int16(bytes.length).#add(bytes)
  }

  nullableBytes(bytes: Buffer | null): this {
    return bytes === null ? this.int32(-1) : this.int32(bytes.length).#add(bytes)
  }

  nullableArray<T>(items: readonly T[] | null, item: (each: T) => void): this {
    this.int32(items === null ? -1 : items.length)
    for (const each of items ?? []) item(each)
    return this
  }

  raw(bytes: Buffer): this {
    return this.#add(bytes)
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts)
  }

  #add(part: Buffer): this {
    this.#parts.push(part)
    return this
  }
}

const STRING_BYTES_MAX = 32_767
