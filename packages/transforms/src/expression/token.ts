import type { Value } from './values.ts'

/** `at`: index of its first character. `isAfterLineBreak`: it is the first of its line. */
export type Token = TokenOf & { readonly at: number; readonly isAfterLineBreak: boolean }

export type TokenOf =
  | { readonly tag: 'name'; readonly name: string }
  | { readonly tag: 'literal'; readonly value: Value }
  /** A text with inserted expressions. */
  | { readonly tag: 'text'; readonly parts: readonly TextPart[] }
  | { readonly tag: 'pattern'; readonly source: string; readonly flags: string }
  | { readonly tag: 'operator'; readonly operator: string }
  | { readonly tag: 'end' }

/** A literal part, or an expression with the index of its first character. */
export type TextPart = string | { readonly source: string; readonly at: number }

/** A range of an expression, so that places in an inserted expression are those in the whole. */
export interface SourceRange {
  readonly source: string
  readonly start: number
  readonly end: number
}

/** A token with the index after its last character. */
export interface ReadToken {
  readonly token: TokenOf
  readonly end: number
}
