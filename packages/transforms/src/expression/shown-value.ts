import { EvaluationError } from './expression-error.ts'
import { javaText } from './java-text.ts'
import { describeKind } from './kind.ts'
import { SHOWN_CHARACTERS_MAX } from './limits.ts'
import type { Value } from './values.ts'

/** A value for an error: its text as Java has it, or what it is. */
export function shownValue(value: Value): string {
  try {
    const text = javaText(value)
    return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text
  } catch (error) {
    if (error instanceof EvaluationError) return describeKind(value)
    throw error
  }
}
