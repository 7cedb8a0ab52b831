import { describeLocation, jsonError } from './json-error.ts'
import type { JsonError, JsonLocation } from './json-error.ts'

/** The bytes of a document, a reading position, and the errors that point into them. */
export class JsonCursor {
  readonly bytes: Buffer
  /** A character per byte, so that offsets in it are offsets in `bytes`. */
  readonly text: string
  /** Offset of the next byte. */
  position: number
  /** The path from the root to the value being read. Part of every error; the readers of values maintain it. */
  readonly references: string[] = []

  constructor(body: Buffer) {
    this.bytes = toUtf8(body)
    this.text = this.bytes.toString('latin1')
    this.position = this.text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0
  }

  /** The character at the position; an empty text at the end. */
  peek(): string {
    return this.text.charAt(this.position)
  }

  /** Skips decimal digits and returns how many there were. */
  skipDigits(): number {
    const start = this.position
    while (isDigit(this.peek())) this.position += 1
    return this.position - start
  }

  error(problem: string, offset: number): JsonError {
    return jsonError({ problem, location: this.#locate(offset), references: this.references })
  }

  /** The error about something longer or deeper than `max`. Jackson's message has no location. */
  limitError(what: string, size: number, max: number, property: string): JsonError {
    const limit = `the maximum allowed (${max}, from \`StreamReadConstraints.getMax${property}()\`)`
    return jsonError({ problem: `${what} (${size}) exceeds ${limit}`, location: null, references: this.references })
  }

  /** The error about the character at the position, whose last byte it points to, or about the end of the document. */
  unexpected(expectation: string): JsonError {
    const { position } = this
    if (position >= this.text.length) return this.error(`Unexpected end-of-input${expectation}`, position)
    const { description, length } = this.describeCurrent()
    return this.error(`Unexpected character (${description})${expectation}`, position + length - 1)
  }

  /** The character at the position as errors show it. A byte that is not UTF-8 is shown as a character of Latin-1. */
  describeCurrent(): { readonly description: string; readonly length: number } {
    const decoded = String.fromCodePoint(
      this.bytes.toString('utf8', this.position, this.position + 4).codePointAt(0) ?? 0,
    )
    const character = decoded === '\ufffd' ? this.peek() : decoded
    const length = character === this.peek() ? 1 : Buffer.byteLength(character)
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return { description: `(CTRL-CHAR, code ${code})`, length }
    const hex = code > 0xff ? ` / 0x${code.toString(16)}` : ''
    return { description: `'${character}' (code ${code}${hex})`, length }
  }

  describeOffset(offset: number): string {
    return describeLocation(this.#locate(offset))
  }

  #locate(offset: number): JsonLocation {
    const { text } = this
    let line = 1
    let lineStart = 0
    for (let at = 0; at < offset; at += 1) {
      const isLineEnd = text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')
      if (!isLineEnd) continue
      line += 1
      lineStart = at + 1
    }
    return { line, column: offset - lineStart + 1 }
  }
}

export function isDigit(character: string): boolean {
  return character >= '0' && character <= '9' && character !== ''
}

/**
 * A body in UTF-16 as UTF-8; any other as it is. UTF-16 is recognised by its byte order mark, or by a zero byte among
 * the first two, since a document starts with ASCII. The charset of Content-Type has no influence, as in Kafka Connect.
 */
function toUtf8(body: Buffer): Buffer {
  const [first, second] = body
  if (first === undefined || second === undefined) return body
  const isBigEndian = first === 0 || (first === 0xfe && second === 0xff)
  const isLittleEndian = second === 0 || (first === 0xff && second === 0xfe)
  if (!isBigEndian && !isLittleEndian) return body
  return Buffer.from(new TextDecoder(isBigEndian ? 'utf-16be' : 'utf-16le').decode(body))
}
