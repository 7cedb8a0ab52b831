import { inspect } from 'node:util'
import { EncodedText, type ConnectValue } from '@tributary/connect-api'

/** Describes a value for an error message: its kind, and enough of it to recognise it. */
export function describeValue(value: ConnectValue): string {
  const shown = value instanceof EncodedText ? value.toString() : value
  return inspect(shown, { depth: 0, maxStringLength: 40, maxArrayLength: 3, breakLength: Infinity })
}
