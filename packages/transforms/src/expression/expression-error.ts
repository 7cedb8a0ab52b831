import { REASON_CHARACTERS_MAX } from './limits.ts'

/** An expression that is refused, with its place and what to write instead. */
export class ExpressionSyntaxError extends SyntaxError {
  /**
   * `at`: index of the character, from 0.
   * `remedy`: a sentence without its full stop; empty: there is nothing to suggest.
   */
  constructor(at: number, reason: string, remedy = '') {
    super(`at character ${at + 1}, ${shortened(reason)}${remedy === '' ? '' : `. ${remedy}`}`)
  }
}

/** A value that an expression cannot be evaluated for. The place is that of the operation that was evaluated last. */
export class EvaluationError extends Error {
  /** What to change in the expression; empty: the caller knows better. */
  readonly remedy: string

  constructor(reason: string, remedy = '') {
    super(reason)
    this.remedy = remedy
  }
}

/** A reason may quote a long name. */
function shortened(reason: string): string {
  return reason.length > REASON_CHARACTERS_MAX ? `${reason.slice(0, REASON_CHARACTERS_MAX)}…` : reason
}
