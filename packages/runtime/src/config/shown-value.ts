/** Names of properties whose values nobody should read over a shoulder. */
const SECRET = /password|passphrase|secret|token|credential|user\.info|jaas\.config|keystore\.key|\.key$/i

/** Properties whose names end as if they were secret: classes of converters, and lists of columns. */
const OPEN = /(^|\.)(key\.converter|message\.key\.columns)$/i

/** References to values that stand elsewhere: they are no secrets. */
const REFERENCES_ONLY = /^(\$\{[^}]*\})+$/

/** The value of a property for a person's eyes. */
export function shownValue(property: string, value: string): string {
  if (!SECRET.test(property) || OPEN.test(property) || value === '' || REFERENCES_ONLY.test(value)) return value
  return '[hidden]'
}
