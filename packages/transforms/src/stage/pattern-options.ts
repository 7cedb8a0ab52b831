import type { ParsedValue } from '@tributary/connect-api'
import { JavaPattern, type JavaReplacement } from '@tributary/support'
import { transformErrors } from '../errors.ts'

/** Validator of an option that is a regular expression in Java's syntax. */
export function isJavaPattern(value: ParsedValue): string | null {
  if (typeof value !== 'string') return null
  try {
    void new JavaPattern(value)
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

/** @throws TRANSFORMATION_OPTION */
export function compilePattern(name: string, value: string): JavaPattern {
  try {
    return new JavaPattern(value)
  } catch (error) {
    throw transformErrors.TRANSFORMATION_OPTION({ name, value, reason: reasonOf(error) }, error)
  }
}

/** @throws TRANSFORMATION_OPTION for a replacement that refers to a group that the pattern does not have */
export function compileReplacement(name: string, value: string, pattern: JavaPattern): JavaReplacement {
  try {
    return pattern.replacement(value)
  } catch (error) {
    throw transformErrors.TRANSFORMATION_OPTION({ name, value, reason: reasonOf(error) }, error)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return error.message
  throw error
}
