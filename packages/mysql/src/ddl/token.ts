/**
 * - `word`: an unquoted name or keyword
 * - `name`: a quoted name
 * - `string`: a string literal, also N'…'
 * - `number`: as written, without sign
 * - `hex`, `bits`: the digits of x'41', 0x41, b'101', 0b101
 * - `symbol`: any other character
 * - `end`: behind the last one
 */
export type TokenKind = 'word' | 'name' | 'string' | 'number' | 'hex' | 'bits' | 'symbol' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** What it stands for: without quotes, with escapes resolved. */
  readonly value: string
  /** Upper case of a word, a symbol's character, and '' for all others: one comparison tells a keyword. */
  readonly keyword: string
  /** Index of its first character in the statement. */
  readonly start: number
  /** Index behind its last character. */
  readonly end: number
}
