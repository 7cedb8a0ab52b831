export interface TextRange {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/** A reference to a value of a config provider, which may contain the characters that end a password. */
const REFERENCE = /\$\{[^{}]*\}/g

/** A URL with user and password. The password ends at the last `@` before the path (RFC 3986, section 3.2.1). */
const URL_PASSWORD = /:\/\/[^\s/?#:@]*:([^\s/?#]+)@/dg

/** The passwords of the URLs in a text: `s3cr3t` of `https://svc:s3cr3t@registry:8081`. References are no passwords. */
export function urlPasswords(text: string): readonly TextRange[] {
  if (!text.includes('://')) return []
  const flat = text.replaceAll(REFERENCE, (reference) => '_'.repeat(reference.length))
  return [...flat.matchAll(URL_PASSWORD)].flatMap(({ indices }) => {
    const [start = 0, end = 0] = indices?.[1] ?? []
    return isReference(text.slice(start, end)) ? [] : [{ start, end }]
  })
}

/** References to values of config providers, which are not secret. */
const REFERENCES_ONLY = /^(\$\{[^}]*\})+$/

/** Whether a value consists of references to values of config providers. */
export function isReference(value: string): boolean {
  return REFERENCES_ONLY.test(value)
}
