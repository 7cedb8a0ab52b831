/** The tokens of a literal: delimiters, unless a backslash precedes them, and the texts between them. */
export class LiteralTokens {
  readonly original: string
  #at = 0
  /** The token that was looked at and not taken. */
  #next: string | null = null
  #previous: string | null = null

  constructor(original: string) {
    this.original = original
  }

  get previous(): string | null {
    return this.#previous
  }

  get hasNext(): boolean {
    return this.#next !== null || this.#at < this.original.length
  }

  /** A position to which `rewind` returns. */
  mark(): number {
    return this.#at - (this.#next?.length ?? 0)
  }

  rewind(position: number): void {
    this.#at = position
    this.#next = null
    this.#previous = null
  }

  take(): string {
    this.#previous = this.#next ?? this.#read()
    this.#next = null
    return this.#previous
  }

  /** The text of the next tokens; null, and none is taken, when there are fewer. */
  takeMany(count: number): string | null {
    const start = this.mark()
    for (let i = 0; i < count; i++) {
      if (!this.hasNext) {
        this.rewind(start)
        return null
      }
      this.take()
    }
    return this.original.slice(start, this.#at)
  }

  /** Takes the next token if it is `expected`; spaces around it are ignored. */
  takeIf(expected: string): boolean {
    if (this.#next === null) {
      if (!this.hasNext) return false
      this.#next = this.#read()
    }
    while (isBlank(this.#next) && this.#at < this.original.length) this.#next = this.#read()
    if (this.#next.trim() !== expected) return false
    this.#next = null
    return true
  }

  #read(): string {
    const start = this.#at
    let isEscaped = false
    for (; this.#at < this.original.length; this.#at++) {
      const char = this.original.charAt(this.#at)
      if (char === '\\') isEscaped = !isEscaped
      else {
        if (DELIMITERS.has(char) && !isEscaped) {
          if (start === this.#at) this.#at += 1
          return this.original.slice(start, this.#at)
        }
        isEscaped = false
      }
    }
    return this.original.slice(start)
  }
}

const DELIMITERS: ReadonlySet<string> = new Set([':', ',', '{', '}', '[', ']', '"'])

export function isBlank(text: string): boolean {
  return text.trim() === ''
}
