/** Reads a pattern one code point at a time, and knows where it is for error texts. */
export class PatternReader {
  readonly pattern: string
  #at = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }

  get isDone(): boolean {
    return this.#at >= this.pattern.length
  }

  startsWith(text: string): boolean {
    return this.pattern.startsWith(text, this.#at)
  }

  /** Skips the text if it is next, and returns whether it was. */
  skip(text: string): boolean {
    if (!this.startsWith(text)) return false
    this.#at += text.length
    return true
  }

  /** Skips what the sticky expression matches here; null when it matches nothing. */
  match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at
    const match = sticky.exec(this.pattern)
    if (match !== null) this.#at += match[0].length
    return match
  }

  /** The next code point as text; '' at the end. */
  next(): string {
    const codePoint = this.pattern.codePointAt(this.#at)
    if (codePoint === undefined) return ''
    const text = String.fromCodePoint(codePoint)
    this.#at += text.length
    return text
  }

  /** The text up to the given one, which it skips too; up to the end of the pattern when that does not follow. */
  upTo(text: string): string {
    const found = this.pattern.indexOf(text, this.#at)
    const end = found < 0 ? this.pattern.length : found
    const skipped = this.pattern.slice(this.#at, end)
    this.#at = found < 0 ? end : end + text.length
    return skipped
  }

  /** An error that names the pattern and the place, counted from 1. */
  error(problem: string): SyntaxError {
    return new SyntaxError(`${problem} at character ${Math.min(this.#at, this.pattern.length)} of '${this.pattern}'`)
  }
}
