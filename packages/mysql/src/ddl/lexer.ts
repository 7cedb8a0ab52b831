import { readComment, skipComment } from './executable-comment.ts'
import type { DdlOptions } from './options.ts'
import { readQuoted } from './string-literal.ts'
import type { Token, TokenKind } from './token.ts'

const SPACE = 0x20
const DOUBLE_QUOTE = 0x22
const HASH = 0x23
const DOLLAR = 0x24
const QUOTE = 0x27
const ASTERISK = 0x2a
const PLUS = 0x2b
const MINUS = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const ZERO = 0x30
const NINE = 0x39
const BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const UNDERSCORE = 0x5f
const BACKQUOTE = 0x60

/**
 * Cuts a statement into tokens, one per call: the parser recognises an INSERT of megabytes by its first token.
 *
 * The lexer skips comments and white space. It reads the content of a comment that the server executes as part of the
 * statement. It never fails: an unclosed string or name becomes a symbol token of its quote, which no rule of the
 * parser accepts.
 */
export class Lexer {
  readonly #sql: string
  readonly #options: DdlOptions
  readonly #hasEscapes: boolean
  #at = 0
  #executedCommentStart = -1
  /**
   * Index after the last token if that was a name, else -1: a dot at this index separates names, whatever follows it.
   */
  #nameEnd = -1
  /** True after such a dot: in `db.1st` the token 1st is a name, elsewhere digits start a number. */
  #isAfterDot = false

  constructor(sql: string, options: DdlOptions) {
    this.#sql = sql
    this.#options = options
    this.#hasEscapes = options.noBackslashEscapes !== true
  }

  /** Start index of the executed comment that the last token is in; -1 outside of one. */
  get executedCommentStart(): number {
    return this.#executedCommentStart
  }

  next(): Token {
    this.#skipBlanks()
    const sql = this.#sql
    const start = this.#at
    if (start >= sql.length) return { kind: 'end', value: '', keyword: '', start: sql.length, end: sql.length }
    const isAfterDot = this.#isAfterDot
    this.#isAfterDot = false
    const code = sql.charCodeAt(start)
    if (code === BACKQUOTE) return this.#quoted('name', start, code)
    if (code === QUOTE) return this.#quoted('string', start, code)
    if (code === BRACKET && this.#options.isMsSql === true) return this.#quoted('name', start, CLOSING_BRACKET)
    if (code === DOUBLE_QUOTE) return this.#quoted(this.#options.ansiQuotes ? 'name' : 'string', start, code)
    if (isDigit(code)) return isAfterDot ? this.#word(start) : this.#digits(start)
    if (isNamePart(code)) return this.#prefixedLiteral(start, code) ?? this.#word(start)
    if (code === DOT) return this.#dot(start)
    return this.#symbol(start)
  }

  #skipBlanks(): void {
    const sql = this.#sql
    for (;;) {
      const code = sql.charCodeAt(this.#at)
      if (code <= SPACE) this.#at++
      else if (code === HASH) this.#skipLine()
      else if (code === MINUS && this.#isDashComment()) this.#skipLine()
      else if (code === SLASH && sql.charCodeAt(this.#at + 1) === ASTERISK) this.#openComment()
      else if (code === ASTERISK && this.#executedCommentStart >= 0 && sql.charCodeAt(this.#at + 1) === SLASH) {
        this.#executedCommentStart = -1
        this.#at += 2
      } else return
    }
  }

  /** Two dashes start a comment only before a blank or the end of the text. */
  #isDashComment(): boolean {
    const following = this.#sql.charCodeAt(this.#at + 2)
    return this.#sql.charCodeAt(this.#at + 1) === MINUS && !(following > SPACE)
  }

  #skipLine(): void {
    const end = this.#sql.indexOf('\n', this.#at)
    this.#at = end < 0 ? this.#sql.length : end + 1
  }

  #openComment(): void {
    const reading = readComment(this.#sql, this.#at, this.#options)
    if (!reading.isExecuted || this.#executedCommentStart >= 0) {
      this.#at = skipComment(this.#sql, this.#at)
      return
    }
    this.#executedCommentStart = this.#at
    this.#at = reading.start
  }

  #token(kind: TokenKind, value: string, start: number, end: number): Token {
    this.#at = end
    this.#nameEnd = kind === 'word' || kind === 'name' ? end : -1
    return { kind, value, keyword: kind === 'word' ? value.toUpperCase() : '', start, end }
  }

  #symbol(start: number): Token {
    const character = this.#sql.charAt(start)
    this.#at = start + 1
    this.#nameEnd = -1
    return { kind: 'symbol', value: character, keyword: character, start, end: start + 1 }
  }

  /** @param from index of the opening quote; `start` is smaller when a letter before the quote belongs to the token */
  #quoted(kind: TokenKind, from: number, quote: number, start: number = from): Token {
    const { value, end } = readQuoted(this.#sql, from + 1, quote, kind === 'string' && this.#hasEscapes)
    if (end >= 0) return this.#token(kind, kind === 'name' ? storedName(value) : value, start, end)
    this.#at = this.#sql.length
    return { kind: 'symbol', value: String.fromCharCode(quote), keyword: '', start, end: this.#sql.length }
  }

  /** x'41', b'101' and N'text': a letter directly before a quote. */
  #prefixedLiteral(start: number, code: number): Token | null {
    if (this.#sql.charCodeAt(start + 1) !== QUOTE) return null
    const letter = String.fromCharCode(code).toUpperCase()
    if (letter === 'N') return this.#quoted('string', start + 1, QUOTE, start)
    if (letter === 'X') return this.#quoted('hex', start + 1, QUOTE, start)
    if (letter === 'B') return this.#quoted('bits', start + 1, QUOTE, start)
    return null
  }

  #word(start: number): Token {
    let end = start + 1
    while (isNamePart(this.#sql.charCodeAt(end))) end++
    return this.#token('word', storedName(this.#sql.slice(start, end)), start, end)
  }

  #dot(start: number): Token {
    if (start !== this.#nameEnd && isDigit(this.#sql.charCodeAt(start + 1))) return this.#fraction(start, start)
    this.#isAfterDot = start === this.#nameEnd
    return this.#symbol(start)
  }

  /** A token that begins with a digit: a number, 0x41, 0b101, or a name such as 1st. */
  #digits(start: number): Token {
    const sql = this.#sql
    const prefixed = this.#zeroPrefixed(start)
    if (prefixed !== null) return prefixed
    let end = start
    while (isDigit(sql.charCodeAt(end))) end++
    if (sql.charCodeAt(end) === DOT) return this.#fraction(start, end)
    const exponentEnd = this.#exponentEnd(end)
    if (exponentEnd > end) return this.#token('number', sql.slice(start, exponentEnd), start, exponentEnd)
    if (isNamePart(sql.charCodeAt(end))) return this.#word(start)
    return this.#token('number', sql.slice(start, end), start, end)
  }

  /** 0x41 and 0b101, with a lower-case letter only; followed by other name characters it is a name. */
  #zeroPrefixed(start: number): Token | null {
    const sql = this.#sql
    if (sql.charCodeAt(start) !== ZERO) return null
    const letter = sql.charAt(start + 1)
    if (letter !== 'x' && letter !== 'b') return null
    let end = start + 2
    while (letter === 'x' ? isHexDigit(sql.charCodeAt(end)) : sql.charAt(end) === '0' || sql.charAt(end) === '1') end++
    if (end === start + 2 || isNamePart(sql.charCodeAt(end))) return null
    return this.#token(letter === 'x' ? 'hex' : 'bits', sql.slice(start + 2, end), start, end)
  }

  #fraction(start: number, dot: number): Token {
    let end = dot + 1
    while (isDigit(this.#sql.charCodeAt(end))) end++
    end = this.#exponentEnd(end)
    return this.#token('number', this.#sql.slice(start, end), start, end)
  }

  /** Returns the index after an exponent that starts at `at`, or `at` when there is none. */
  #exponentEnd(at: number): number {
    const sql = this.#sql
    const letter = sql.charAt(at)
    if (letter !== 'e' && letter !== 'E') return at
    const sign = sql.charCodeAt(at + 1)
    let end = sign === PLUS || sign === MINUS ? at + 2 : at + 1
    if (!isDigit(sql.charCodeAt(end))) return at
    while (isDigit(sql.charCodeAt(end))) end++
    return end
  }
}

/** MySQL stores names in utf8mb3, with `?` for other characters; MariaDB refuses them. */
function storedName(name: string): string {
  return SURROGATE.test(name) ? name.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?') : name
}

const SURROGATE = /[\ud800-\udfff]/

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

function isHexDigit(code: number): boolean {
  const small = code | 0x20
  return isDigit(code) || (small >= 0x61 && small <= 0x66)
}

/** Characters of unquoted names: 0-9 a-z A-Z $ _ and everything from U+0080. */
function isNamePart(code: number): boolean {
  if (code >= 0x80) return true
  const small = code | 0x20
  return (small >= 0x61 && small <= 0x7a) || isDigit(code) || code === UNDERSCORE || code === DOLLAR
}
