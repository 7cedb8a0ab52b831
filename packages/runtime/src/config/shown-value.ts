/** Names of properties with secret values. */
const SECRET = /password|passphrase|secret|token|credential|user\.info|jaas\.config|keystore\.key|\.key$/i

/** Exceptions: names of the same form whose values are classes of converters, or lists of columns. */
const OPEN = /(^|\.)(key\.converter|message\.key\.columns)$/i

/** References to values of config providers, which are not secret. */
const REFERENCES_ONLY = /^(\$\{[^}]*\})+$/

/** Whether a value consists of references to values of config providers. */
export function isReference(value: string): boolean {
  return REFERENCES_ONLY.test(value)
}

/** The value of a property, or `[hidden]` for a secret. */
export function shownValue(property: string, value: string): string {
  if (!SECRET.test(property) || OPEN.test(property) || value === '' || isReference(value)) return value
  return '[hidden]'
}
