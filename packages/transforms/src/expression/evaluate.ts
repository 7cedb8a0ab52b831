import { ExpressionSyntaxError } from './expression-error.ts'
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
      throw new ExpressionSyntaxError(at, error.message)
    }
    throw error
  }
}
