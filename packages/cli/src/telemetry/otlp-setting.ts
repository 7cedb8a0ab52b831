import { cliErrors } from '../errors.ts'

/** The value is without spaces around it, and empty when the variable is not set, which the specification equates. */
export interface Setting {
  readonly variable: string
  readonly value: string
}

/** @param reason must not contain a value that may be secret */
export function refused({ variable }: Setting, reason: string): Error {
  return cliErrors.OTLP_SETTING({ variable, reason })
}
