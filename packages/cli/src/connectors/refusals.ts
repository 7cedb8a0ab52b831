/** A reason why the service refused a configuration, and the property that it names; null when it names no property. */
export interface Refusal {
  readonly property: string | null
  readonly reason: string
}

/** Connect's line before the reasons, and its line after them. */
const HEAD = /^Connector configuration is invalid and contains the following \d+ error\(s\):\n/
const FOOT = /\n+You can also find the above list of errors at the endpoint [^\n]*$/

/** The forms in which Debezium (first) and Kafka name the property. */
const FORMS: readonly RegExp[] = [
  /^The '(?<property>[^']+)' value is invalid: (?<reason>.*)$/s,
  /^(?<reason>Invalid value .* for configuration (?<property>[\w.-]+)(?:: .*)?)$/s,
  /^(?<reason>Missing required configuration "(?<property>[^"]+)".*)$/s,
]

/** The reasons in the message of a refusal (400); null for any other message. */
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

/** Renders each reason once, in a line of its own under its property; reasons without a property are first. */
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

/** Connect's message about an unknown class. A description of every class that the worker has follows it. */
const UNKNOWN_CLASS =
  /Failed to find any class that implements Connector and which name matches (?<unknown>[^,]*), available connectors are: /

/** A short form of that message: the unknown class, and the names of the known ones. Null for any other message. */
export function unknownClassText(message: string): string | null {
  const unknown = UNKNOWN_CLASS.exec(message)?.groups?.['unknown']
  if (unknown === undefined) return null
  const names = [...message.matchAll(/PluginDesc\{[^}]*?name='([^']+)'/g)].map(([, name]) => name)
  return `the service has no connector class ${unknown}; it has ${[...new Set(names)].join(', ')}`
}
