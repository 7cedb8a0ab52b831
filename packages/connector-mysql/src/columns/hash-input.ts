import { EncodedText } from '@tributary/connect-api'
import { javaSerializedString, SHORT_STRING_HEAD } from './java-serialized-string.ts'

/** The versions of `column.mask.hash`: what is hashed after the salt. */
export type HashVersion = 'v1' | 'v2'

/**
 * The bytes that a hash is made of: the salt, then the text as UTF-8 (v2) or as Java serializes a string (v1).
 *
 * Most texts are short and ASCII. Their bytes go from the row into one buffer that is reused, without a string: with the
 * hash, 0.6 µs instead of 1.9 µs for 120 characters (Node 24).
 */
export class HashInput {
  readonly #salt: Buffer
  readonly #version: HashVersion
  /** The salt, the head of a short serialized string in v1, and room for a short text. */
  readonly #short: Buffer
  readonly #textAt: number
  /** Bytes of the text that `#short` holds; -1: none. */
  #length = -1
  /** True: the last text was the same as the one before it, as in most updates. */
  isRepeated = false

  constructor(salt: string, version: HashVersion) {
    this.#salt = Buffer.from(salt)
    this.#version = version
    const head = version === 'v1' ? SHORT_STRING_HEAD : Buffer.alloc(0)
    this.#short = Buffer.concat([this.#salt, head, Buffer.alloc(SHORT_BYTES_MAX)])
    this.#textAt = this.#salt.length + head.length
  }

  /** The result is valid until the next call. */
  of(text: EncodedText | string): Buffer {
    return (text instanceof EncodedText ? this.#shortInput(text) : null) ?? this.#anyInput(text.toString())
  }

  /** Null for a text that is long or not ASCII. NUL has two bytes in Java's form. */
  #shortInput({ bytes, start, end, charset }: EncodedText): Buffer | null {
    const length = end - start
    let isRepeated = length === this.#length
    this.#length = -1
    this.isRepeated = false
    if (length > SHORT_BYTES_MAX || !charset.isAsciiCompatible) return null
    const short = this.#short
    const textAt = this.#textAt
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i] as number
      if (byte > 0x7f || byte === 0) return null
      if (short[textAt + i] !== byte) {
        isRepeated = false
        short[textAt + i] = byte
      }
    }
    this.#length = length
    this.isRepeated = isRepeated
    if (this.#version === 'v1') short.writeUInt16BE(length, textAt - 2)
    return short.subarray(0, textAt + length)
  }

  #anyInput(text: string): Buffer {
    this.#length = -1
    this.isRepeated = false
    return Buffer.concat([this.#salt, this.#version === 'v1' ? javaSerializedString(text) : Buffer.from(text)])
  }
}

const SHORT_BYTES_MAX = 1_024
