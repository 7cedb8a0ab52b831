import { FormError } from './form-error.ts'

/** A position in the text of a Terraform file. */
export class HclCursor {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  get char(): string {
    return this.text.charAt(this.at)
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** Takes what the sticky pattern matches here; null if it does not match. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? null
    if (found !== null) this.at += found.length
    return found
  }

  /** Skips blanks and comments: `# …`, `// …`, and the other kind that may have several lines. */
  skipBlanks(): void {
    this.take(BLANKS)
    this.#expectNoComment()
  }

  /** Skips blanks and comments of this line. */
  skipBlanksOfLine(): void {
    this.take(BLANKS_OF_LINE)
    this.#expectNoComment()
  }

  /** A comment that remains has no end. Another search from each following character would make the time quadratic. */
  #expectNoComment(): void {
    if (this.text.startsWith('/*', this.at)) throw this.fault('a comment has no end')
  }

  /** @throws FormError if the text does not follow */
  expect(text: string): void {
    if (!this.text.startsWith(text, this.at)) throw this.fault(`${text} is missing`)
    this.at += text.length
  }

  fault(message: string, at: number = this.at): FormError {
    return new FormError(message, at)
  }
}

const BLANKS = /(?:[ \t\r\n\uFEFF]|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
const BLANKS_OF_LINE = /(?:[ \t\r]|\/\*[^]*?\*\/)*(?:(?:#|\/\/)[^\n]*)?/y
