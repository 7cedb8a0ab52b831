import { toError } from './errors.ts'

/**
 * The text of the error of a connection that could not be opened. The error of a host name with several addresses, often
 * also of `localhost`, has an error for each of them and no message of its own.
 */
export function eachAddressText(error: Error, textOf: (error: Error) => string): string {
  if (!(error instanceof AggregateError) || error.message !== '') return textOf(error)
  return error.errors.map((each) => textOf(toError(each))).join(', ')
}
