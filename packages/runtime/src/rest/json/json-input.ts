import { detectEncoding } from './json-encoding.ts'
import { describeLocation, jsonError } from './json-error.ts'
import type { JsonError, JsonLocation } from './json-error.ts'
import type { JsonToken } from './json-token.ts'

/** What stands for a byte where there is none. */
export const endOfInput = -1

/**
 * The bytes of a document with a reading position, and the errors that point into them. The position is part of what
 * is reproduced: errors are placed by how far the reader has come.
 */
export class JsonInput {
  /** Offset of the next byte. */
  position: number
  /** The way from the root of the target to what is being read; part of every error. Kept by the readers of values. */
  readonly references: string[] = []
  /** The token that was read last; some errors at the end of the input name it. */
  lastToken: JsonToken | null = null
  readonly #bytes: Buffer
  readonly #isUtf8: boolean

  constructor(body: Buffer) {
    const { bytes, start, isUtf8 } = detectEncoding(body)
    this.#bytes = bytes
    this.position = start
    this.#isUtf8 = isUtf8
  }

  /** The next byte without taking it, or `endOfInput`. */
  peek(): number {
    return this.#bytes[this.position] ?? endOfInput
  }

  /** Takes the next byte; at the end gives `endOfInput` and stays. */
  take(): number {
    const byte = this.#bytes[this.position]
    if (byte === undefined) return endOfInput
    this.position += 1
    return byte
  }

  /** The bytes from `start` up to the position, which the caller knows to be ASCII. */
  asciiSince(start: number): string {
    return this.#bytes.latin1Slice(start, this.position)
  }

  /** Moves over what stands for itself in a string: ASCII but quote, backslash and control characters. */
  skipPlain(): void {
    const bytes = this.#bytes
    let at = this.position
    for (let byte = bytes[at]; byte !== undefined && byte >= 0x20 && byte < 0x80; byte = bytes[at]) {
      if (byte === 0x22 || byte === 0x5c) break
      at += 1
    }
    this.position = at
  }

  /**
   * Takes the rest of a character whose first byte was just taken, and gives its code point. Overlong forms and code
   * points above U+10FFFF pass, as with Jackson.
   */
  completeCharacter(lead: number): number {
    if (lead < 0x80) return lead
    const trailing = (lead & 0xe0) === 0xc0 ? 1 : (lead & 0xf0) === 0xe0 ? 2 : (lead & 0xf8) === 0xf0 ? 3 : 0
    if (trailing === 0) throw this.error(`Invalid UTF-8 start byte 0x${lead.toString(16)}`, this.position)
    let code = lead & (0x3f >> trailing)
    for (let i = 0; i < trailing; i += 1) {
      const byte = this.take()
      if (byte === endOfInput) throw this.endError()
      if ((byte & 0xc0) !== 0x80) throw this.error(`Invalid UTF-8 middle byte 0x${byte.toString(16)}`, this.position)
      code = (code << 6) | (byte & 0x3f)
    }
    return code
  }

  /** The character that an error shows for a byte just taken: of UTF-8 the byte alone, of UTF-16 and UTF-32 the whole. */
  characterOf(byte: number): number {
    return this.#isUtf8 ? byte : this.completeCharacter(byte)
  }

  /** An error at an offset, or without a place where Jackson gives none. */
  error(problem: string, offset?: number): JsonError {
    const { references } = this
    if (offset === undefined) return jsonError({ problem, references })
    return jsonError({ problem, location: this.#locate(offset), references })
  }

  /** An error about the end of the input; it names the last token unless told where. */
  endError(where: string = ` in ${this.lastToken}`): JsonError {
    return this.error(`Unexpected end-of-input${where}`, this.position)
  }

  /** An error about the character that was just taken. */
  characterError(code: number, expectation: string): JsonError {
    return this.error(`Unexpected character (${describeCharacter(code)})${expectation}`, this.position - 1)
  }

  describeOffset(offset: number): string {
    return describeLocation(this.#locate(offset))
  }

  /** Counts line ends when it is asked: only white space holds them, since in strings they are errors. */
  #locate(offset: number): JsonLocation {
    const bytes = this.#bytes
    let line = 1
    let lineStart = 0
    for (let at = 0; at < offset; at += 1) {
      const isLineEnd = bytes[at] === 0x0a || (bytes[at] === 0x0d && bytes[at + 1] !== 0x0a)
      if (!isLineEnd) continue
      line += 1
      lineStart = at + 1
    }
    const columns = this.#isUtf8
      ? offset - lineStart
      : bytes.utf8Slice(lineStart, this.#startOfCharacter(offset)).length
    return { line, column: columns + 1 }
  }

  #startOfCharacter(offset: number): number {
    let start = offset
    while (((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1
    return start
  }
}

/** A character as an error shows it; above the basic plane only the lower 16 bits of its offset there, as in Jackson. */
export function describeCharacter(code: number): string {
  const unit = code > 0xffff ? (code - 0x1_0000) & 0xffff : code
  if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return `(CTRL-CHAR, code ${unit})`
  const shown = `'${String.fromCharCode(unit)}' (code ${unit}`
  return unit > 0xff ? `${shown} / 0x${unit.toString(16)})` : `${shown})`
}
