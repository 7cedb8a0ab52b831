import type { ConfigValues } from '@tributary/connect-api'
import { RegexList } from '@tributary/connector-kit'
import { TableFilter } from './table-filter.ts'

const LISTS = ['database.include.list', 'database.exclude.list', 'table.include.list', 'table.exclude.list'] as const
const BUILT_IN = 'table.ignore.builtin'
/** Databases and tables (`a.b`) that the lists select, and that could not be copied yet. */
const NOT_COPIED = 'not.copied'

/**
 * Which databases and tables are captured, as one text for the offset: so a later start knows which tables were added.
 * Null: the lists are too long for that.
 */
export function capturedListsOf(values: ConfigValues): string | null {
  const lists = LISTS.map((name) => [name, values.optionalString(name) ?? ''] as const).filter(
    ([, list]) => list !== '',
  )
  const builtIn = values.boolean(BUILT_IN) ? [] : [[BUILT_IN, 'false'] as const]
  const text = JSON.stringify(Object.fromEntries([...lists, ...builtIn]))
  return text.length > CHARACTERS_MAX ? null : text
}

/** The same lists, of which these databases and tables are to be copied by a later start. */
export function listsWithout(lists: string, names: readonly string[]): string {
  if (names.length === 0) return lists
  return JSON.stringify({ ...(JSON.parse(lists) as object), [NOT_COPIED]: names })
}

/** What such a text of an offset selects; null: it is no such text. */
export function filterOfLists(text: string): Pick<TableFilter, 'includesDatabase' | 'includesTable'> | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return null
    const fields = new Map(Object.entries(parsed))
    const listOf = (name: (typeof LISTS)[number]): RegexList => new RegexList(String(fields.get(name) ?? ''))
    const filter = new TableFilter({
      databaseInclude: listOf('database.include.list'),
      databaseExclude: listOf('database.exclude.list'),
      tableInclude: listOf('table.include.list'),
      tableExclude: listOf('table.exclude.list'),
      ignoresBuiltIn: fields.get(BUILT_IN) !== 'false',
    })
    const notCopied = namesOf(fields.get(NOT_COPIED))
    const isCopied = (name: string): boolean => !notCopied.has(name.toLowerCase())
    return {
      includesDatabase: (database) => isCopied(database) && filter.includesDatabase(database),
      includesTable: (id) => isCopied(id.database) && isCopied(id.toString()) && filter.includesTable(id),
    }
  } catch {
    // A text that a user has changed, or a regular expression that this version refuses.
    return null
  }
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.map((name) => String(name).toLowerCase()) : [])
}

/** Offsets are records of Kafka, which are small: names of about a thousand tables. */
const CHARACTERS_MAX = 32_768
