/** Decodes the bytes `[start, end)` of a charset. */
export type TextDecoder = (bytes: Buffer, start: number, end: number) => string

/**
 * A string value as the bytes that the database sent, decoded on demand.
 *
 * Most text of most databases is ASCII in an ASCII-compatible charset. A converter copies such bytes into the record;
 * creating a JavaScript string first costs more than all other work on the value (measured: 25 ns against 200 ns for 20
 * characters). A reader that cannot use the bytes calls `toString`.
 *
 * The bytes are in a buffer of the connection, which is reused after the next poll. Code that keeps the value longer
 * than its record keeps the string instead.
 */
export class EncodedText {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly charset: TextCharset

  constructor(bytes: Buffer, start: number, end: number, charset: TextCharset) {
    this.bytes = bytes
    this.start = start
    this.end = end
    this.charset = charset
  }

  toString(): string {
    return this.charset.decode(this.bytes, this.start, this.end)
  }

  toJSON(): string {
    return this.toString()
  }
}

export interface TextCharset {
  /** True: each byte below 0x80 is the ASCII character of that number, at any position. */
  readonly isAsciiCompatible: boolean
  /** True: well-formed bytes are UTF-8. */
  readonly isUtf8: boolean
  /** True: different bytes may be the same text. Absent: well-formed bytes are not. */
  readonly isLossy?: boolean
  readonly decode: TextDecoder
}
