export type Config = Readonly<Record<string, string>>

export interface Change {
  readonly name: string
  /** Null: the property is new. */
  readonly before: string | null
  /** Null: the property is removed. */
  readonly after: string | null
}

export function changesBetween(before: Config, after: Config): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((name) => {
    const change = { name, before: before[name] ?? null, after: after[name] ?? null }
    return change.before === change.after ? [] : [change]
  })
}

/** Names of properties with secret values, as the worker decides it (its shown-value.ts and url-passwords.ts). */
const SECRET = /password|passphrase|secret|token|credential|user\.info|jaas\.config|keystore\.key|\.key$/i
const OPEN = /(^|\.)(key\.converter|message\.key\.columns|credentials\.source)$/i

const REFERENCE = /\$\{[^{}]*\}/g
const REFERENCES_ONLY = /^(\$\{[^}]*\})+$/
const URL_PASSWORD = /:\/\/[^\s/?#:@]*:([^\s/?#]+)@/dg
const HIDDEN = '••••••'

/** Whether a value is typed unseen: that of a secret property, or with the password of a URL. */
export function isSecret(name: string, value: string): boolean {
  return value === '' ? isSecretName(name) : withoutSecrets(name, value) !== value
}

/** A value with dots for its secrets. References to config providers are no secrets. */
export function withoutSecrets(name: string, value: string): string {
  if (value === '' || REFERENCES_ONLY.test(value)) return value
  if (isSecretName(name)) return HIDDEN
  const flat = value.replaceAll(REFERENCE, (reference) => '_'.repeat(reference.length))
  let shown = value
  for (const { indices } of [...flat.matchAll(URL_PASSWORD)].toReversed()) {
    const [start = 0, end = 0] = indices?.[1] ?? []
    if (!REFERENCES_ONLY.test(value.slice(start, end))) shown = shown.slice(0, start) + HIDDEN + shown.slice(end)
  }
  return shown
}

function isSecretName(name: string): boolean {
  return SECRET.test(name) && !OPEN.test(name)
}
