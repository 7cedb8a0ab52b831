import { type ConnectValue, EncodedText } from '@tributary/connect-api'

/** The text of a string value; null for any other value. */
export function textOf(value: ConnectValue): string | null {
  if (typeof value === 'string') return value
  return value instanceof EncodedText ? value.toString() : null
}
