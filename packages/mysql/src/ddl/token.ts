/**
 * - `word`: an unquoted name or keyword
 * - `name`: a quoted name
 * - `string`: a string literal, also N'…'
 * - `number`: as written, without sign
 * - `hex`, `bits`: the digits of x'41', 0x41, b'101', 0b101
 * - `symbol`: any other character
 * - `end`: after the last token
 */
export type TokenKind = 'word' | 'name' | 'string' | 'number' | 'hex' | 'bits' | 'symbol' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The text without quotes, with escapes resolved. */
  readonly value: string
  /** The word in upper case, the character of a symbol, '' for all others: one comparison identifies a keyword. */
  readonly keyword: string
  /** Index of the first character in the statement. */
  readonly start: number
  /** Index after the last character. */
  readonly end: number
}
