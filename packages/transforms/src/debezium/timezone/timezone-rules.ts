import { transformErrors } from '../../errors.ts'

/** Whether a field of an image or of the source is converted. */
export type FieldChoice = (name: string) => boolean

/** What is converted in the events of a table. Null: nothing in that struct. */
export interface EventChoice {
  readonly before: FieldChoice
  readonly after: FieldChoice
  readonly source: FieldChoice | null
}

export type ListKind = 'include' | 'exclude'

/** The format that Debezium accepts: only the first entry may have a prefix and a field. */
const LIST = /^\[(?:source|topic|[".\w \t\n\v\f\r]+):(?:[".\w \t\n\v\f\r]+(?::[".\w \t\n\v\f\r]+)?(?:,|\]$))+$/

const all: FieldChoice = () => true

/** The rules of `include.list` or `exclude.list`. */
export class TimezoneRules {
  readonly #kind: ListKind | null
  readonly #byTopic = new Map<string, Set<string>>()
  readonly #byTable = new Map<string, Set<string>>()
  readonly #byEither = new Map<string, Set<string>>()

  /** @throws ZONE_LIST for a list of another format */
  constructor(kind: ListKind | null, entries: readonly string[]) {
    this.#kind = kind
    if (kind === null) return
    if (!LIST.test(`[${entries.join(', ')}]`)) throw transformErrors.ZONE_LIST({ kind })
    let prefix = ''
    for (const entry of entries) {
      // Java’s split ignores empty parts at the end.
      const parts = entry.replace(/:+$/, '').split(':')
      const [first = '', second, third] = parts
      const hasPrefix = parts.length > 1 && /^(source|topic)$/i.test(first)
      // An entry without a prefix has that of the entry before it.
      if (hasPrefix) prefix = first
      const rules = prefix === 'topic' ? this.#byTopic : prefix === 'source' ? this.#byTable : this.#byEither
      addRule(rules, hasPrefix ? (second ?? '') : first, hasPrefix ? third : second)
    }
  }

  /** Null: events are not converted. */
  choiceFor(topic: string, table: string | null): EventChoice | null {
    if (this.#kind === null) return { before: all, after: all, source: null }
    const fields =
      this.#byTopic.get(topic) ??
      this.#byTable.get(table ?? '') ??
      this.#byEither.get(topic) ??
      this.#byEither.get(table ?? '')
    if (this.#kind === 'include') {
      if (fields === undefined) return null
      return fields.size === 0 ? { before: all, after: all, source: null } : choiceOf(fields, true)
    }
    if (fields === undefined) return { before: all, after: all, source: null }
    return fields.size === 0 ? null : choiceOf(fields, false)
  }
}

function addRule(rules: Map<string, Set<string>>, name: string, field: string | undefined): void {
  const fields = rules.get(name) ?? new Set()
  if (field !== undefined) fields.add(field)
  rules.set(name, fields)
}

/** `before.x` is in one image, `x` in both, `source.ts_ms` in the source. */
function choiceOf(fields: ReadonlySet<string>, isIncluded: boolean): EventChoice {
  const namesIn = (struct: string, other: string): ReadonlySet<string> =>
    new Set(
      [...fields].flatMap((field) => {
        if (field.startsWith(`${struct}.`)) return [field.slice(struct.length + 1)]
        return field.startsWith(`${other}.`) || field.startsWith('source.') ? [] : [field]
      }),
    )
  const before = namesIn('before', 'after')
  const after = namesIn('after', 'before')
  const source = new Set([...fields].filter((field) => field.startsWith('source.')).map((field) => field.slice(7)))
  return {
    before: (name) => before.has(name) === isIncluded,
    after: (name) => after.has(name) === isIncluded,
    source: source.size === 0 ? null : (name) => source.has(name) === isIncluded,
  }
}
