import { type ConnectValue, EncodedText, type TextCharset } from '@tributary/connect-api'

/**
 * Reads a field whose text mostly is that of the record before, such as the name that routes it: equal bytes are not
 * decoded again.
 */
export class RepeatedText {
  readonly #bytes = new Uint8Array(KEPT_BYTES_MAX)
  #length = -1
  #charset: TextCharset | null = null
  #text = ''

  /** The text of a string value; null for any other value. */
  of(value: ConnectValue): string | null {
    if (!(value instanceof EncodedText)) return typeof value === 'string' ? value : null
    if (this.#isLast(value)) return this.#text
    const text = value.toString()
    this.#keep(value, text)
    return text
  }

  #isLast({ bytes, start, end, charset }: EncodedText): boolean {
    const last = this.#bytes
    const length = end - start
    if (length !== this.#length || charset !== this.#charset) return false
    for (let i = 0; i < length; i++) if (last[i] !== bytes[start + i]) return false
    return true
  }

  #keep({ bytes, start, end, charset }: EncodedText, text: string): void {
    const length = end - start
    // Longer texts are hardly names.
    if (length > KEPT_BYTES_MAX) return
    for (let i = 0; i < length; i++) this.#bytes[i] = bytes[start + i] as number
    this.#length = length
    this.#charset = charset
    this.#text = text
  }
}

const KEPT_BYTES_MAX = 64
