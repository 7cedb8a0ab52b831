/**
 * Reads the value of a header in the grammar of RFC 9110, section 5.6. That grammar allows white space between any two
 * tokens; a regular expression for it can take exponential time, this reader takes linear time.
 */
export class HeaderReader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Skips white space. True at the end of the header. */
  isAtEnd(): boolean {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#position += 1
    return this.#position === this.#text.length
  }

  /** Skips white space, and the character if it is the next one; whether it was. */
  accept(character: string): boolean {
    if (this.isAtEnd() || this.#peek() !== character) return false
    this.#position += 1
    return true
  }

  /** Skips white space and reads a token. Null when there is none. */
  token(): string | null {
    if (this.isAtEnd()) return null
    const start = this.#position
    while (tokenCharacter.test(this.#peek())) this.#position += 1
    return this.#position === start ? null : this.#text.slice(start, this.#position)
  }

  /** Skips white space and reads a token or the text of a quoted string. Null when there is neither. */
  tokenOrQuoted(): string | null {
    return this.accept('"') ? this.#quoted() : this.token()
  }

  #quoted(): string | null {
    let text = ''
    while (this.#position < this.#text.length) {
      const character = this.#take()
      if (character === '"') return text
      text += character === '\\' ? this.#take() : character
    }
    return null
  }

  #take(): string {
    const character = this.#peek()
    this.#position += 1
    return character
  }

  #peek(): string {
    return this.#text.charAt(this.#position)
  }
}

const tokenCharacter = /^[\w!#$%&'*+.^`|~-]$/
