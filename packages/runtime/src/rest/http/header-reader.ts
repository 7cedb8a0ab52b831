/**
 * Reads the value of a header in the grammar of RFC 9110, section 5.6. A reader of its own instead of a regular
 * expression: these have optional white space at every turn, which an expression tries in exponentially many ways.
 */
export class HeaderReader {
  readonly #text: string
  #position = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Moves over white space; true when nothing is left. */
  isAtEnd(): boolean {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#position += 1
    return this.#position === this.#text.length
  }

  /** Takes the character if it is the next one after white space. */
  accept(character: string): boolean {
    if (this.isAtEnd() || this.#peek() !== character) return false
    this.#position += 1
    return true
  }

  /** Takes a token after white space. Null where there is none. */
  token(): string | null {
    if (this.isAtEnd()) return null
    const start = this.#position
    while (tokenCharacter.test(this.#peek())) this.#position += 1
    return this.#position === start ? null : this.#text.slice(start, this.#position)
  }

  /** Takes a token or the text of a quoted string after white space. Null where there is neither. */
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
