import { ExpressionSyntaxError } from './expression-error.ts'
import { REASON_CHARACTERS_MAX } from './limits.ts'
import type { Scope } from './scope.ts'
import type { Value } from './values.ts'

/** A compiled part of an expression. It throws EvaluationError. */
export type Evaluate = (scope: Scope) => Value

/** Adds the place to what a pattern or a literal argument is refused for. */
export function checkedAt<T>(at: number, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof SyntaxError && !(error instanceof ExpressionSyntaxError)) {
      throw new ExpressionSyntaxError(at, shortened(error.message))
    }
    throw error
  }
}

/** The end has the reason; the pattern before it may be long. */
function shortened(reason: string): string {
  return reason.length > REASON_CHARACTERS_MAX ? `…${reason.slice(1 - REASON_CHARACTERS_MAX)}` : reason
}
