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

/** Names of properties with secret values, as the worker decides it. */
const SECRET = /password|passphrase|secret|token|credential|user\.info|jaas\.config|keystore\.key|\.key$/i
const OPEN = /(^|\.)(key\.converter|message\.key\.columns)$/i

/** Whether a value is hidden. References to config providers are no secrets. */
export function isSecret(name: string, value: string): boolean {
  return SECRET.test(name) && !OPEN.test(name) && !/^(\$\{[^}]*\})+$/.test(value)
}
