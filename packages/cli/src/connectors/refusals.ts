/** A reason why a configuration was refused, and the property that it belongs to; null: none by name. */
export interface Refusal {
  readonly property: string | null
  readonly reason: string
}

/** The line before the reasons, and the one after them, in the words of Connect. */
const HEAD = /^Connector configuration is invalid and contains the following \d+ error\(s\):\n/
const FOOT = /\n+You can also find the above list of errors at the endpoint [^\n]*$/

/** Debezium's form, and Kafka's. */
const FORMS: readonly RegExp[] = [
  /^The '(?<property>[^']+)' value is invalid: (?<reason>.*)$/s,
  /^(?<reason>Invalid value .* for configuration (?<property>[\w.-]+)(?:: .*)?)$/s,
  /^(?<reason>Missing required configuration "(?<property>[^"]+)".*)$/s,
]

/** The reasons in a refusal of a configuration (400); null when the message is something else. */
export function refusalsOf(message: string): readonly Refusal[] | null {
  if (!HEAD.test(message)) return null
  const list = message.replace(HEAD, '').replace(FOOT, '')
  return list.split('\n').flatMap((line) => (line.trim() === '' ? [] : [refusalOf(line)]))
}

function refusalOf(line: string): Refusal {
  for (const form of FORMS) {
    const { property, reason } = form.exec(line)?.groups ?? {}
    if (property !== undefined && reason !== undefined) return { property, reason }
  }
  return { property: null, reason: line }
}

/** The reasons under their properties, one in a line; those without a property come first. A reason that repeats is told once. */
export function renderRefusals(refusals: readonly Refusal[]): string {
  const groups = new Map<string | null, Set<string>>([[null, new Set()]])
  for (const { property, reason } of refusals) {
    const group = groups.get(property) ?? new Set()
    groups.set(property, group.add(reason))
  }
  const blocks = [...groups].flatMap(([property, reasons]) => [
    ...(property === null ? [] : [property]),
    ...[...reasons].map((reason) => (property === null ? reason : `  ${reason}`)),
  ])
  return blocks.map((line) => `  ${line}`).join('\n')
}

/** Connect's text about a class that it does not have, which goes on with all that is known of each that it has. */
const UNKNOWN_CLASS =
  /Failed to find any class that implements Connector and which name matches (?<asked>[^,]*), available connectors are: /

/** The same in short: the class that was asked for, and the names of those that are there. Null when the message is something else. */
export function unknownClassText(message: string): string | null {
  const asked = UNKNOWN_CLASS.exec(message)?.groups?.['asked']
  if (asked === undefined) return null
  const names = [...message.matchAll(/PluginDesc\{[^}]*?name='([^']+)'/g)].map(([, name]) => name)
  return `there is no connector class ${asked}; available: ${[...new Set(names)].join(', ')}`
}
