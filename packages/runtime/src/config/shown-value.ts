import { isReference, urlPasswords } from './url-passwords.ts'

/** Names of properties with secret values. */
const SECRET = /password|passphrase|secret|token|credential|user\.info|jaas\.config|keystore\.key|\.key$/i

/** Exceptions: names of the same form whose values are names of classes, columns or kinds of logins. */
const OPEN = /(^|\.)(key\.converter|message\.key\.columns|credentials\.source)$/i

/** Replaces secrets, as in Kafka. */
const HIDDEN = '[hidden]'

function isSecret(property: string): boolean {
  return SECRET.test(property) && !OPEN.test(property)
}

/** The value of a property: `[hidden]` for a secret, and with `[hidden]` for the passwords of URLs. */
export function shownValue(property: string, value: string): string {
  if (value === '' || isReference(value)) return value
  if (isSecret(property)) return HIDDEN
  let shown = value
  for (const { start, end } of urlPasswords(value).toReversed()) {
    shown = shown.slice(0, start) + HIDDEN + shown.slice(end)
  }
  return shown
}

/** Whether a value has `[hidden]` where `shownValue` writes it: it was copied from what a reader may see. */
export function isHiddenValue(property: string, value: string): boolean {
  if (isSecret(property)) return value === HIDDEN
  return urlPasswords(value).some(({ start, end }) => value.slice(start, end) === HIDDEN)
}
