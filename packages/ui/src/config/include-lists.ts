import type { SourceTable } from '@tributary/rest-api'

/** Chosen databases, whole, and chosen tables by database. */
export interface Chosen {
  readonly databases: ReadonlySet<string>
  /** Database → names of tables; those of a whole database are ignored. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
}

export function isChosen({ databases, tables }: Chosen, { database, table }: SourceTable): boolean {
  return databases.has(database) || tables.get(database)?.has(table) === true
}

export function isNothing({ databases, tables }: Chosen): boolean {
  return databases.size === 0 && [...tables.values()].every((names) => names.size === 0)
}

/** What is chosen among these tables: a list that was read again may lack some. */
export function chosenAmong({ databases, tables }: Chosen, listed: readonly SourceTable[]): Chosen {
  const byDatabase = Map.groupBy(listed, ({ database }) => database)
  const names = [...tables].flatMap(([database, chosen]) => {
    const kept = (byDatabase.get(database) ?? []).filter(({ table }) => chosen.has(table))
    return kept.length === 0 ? [] : [[database, new Set(kept.map(({ table }) => table))] as const]
  })
  return { databases: new Set([...databases].filter((each) => byDatabase.has(each))), tables: new Map(names) }
}

/** The properties by name; null: not set. */
export type Lists = Readonly<Record<(typeof LISTS)[number], string | null>>

const LISTS = ['database.include.list', 'table.include.list'] as const

export function listsOf(config: Readonly<Record<string, string>>): Lists {
  const [database, table] = LISTS
  return { [database]: config[database] ?? null, [table]: config[table] ?? null }
}

export function areSameLists(a: Lists, b: Lists): boolean {
  return LISTS.every((name) => (a[name] ?? '') === (b[name] ?? ''))
}

export function areEmpty(lists: Lists): boolean {
  return LISTS.every((name) => (lists[name] ?? '') === '')
}

/** Whether no list says what is captured: every database is. */
export function capturesAll(config: Readonly<Record<string, string>>): boolean {
  const names = [...LISTS, 'database.exclude.list', 'table.exclude.list']
  return names.every((name) => (config[name] ?? '').trim() === '')
}

/** The properties that capture what is chosen, and nothing else. Their entries are patterns of whole names. */
export function includeLists({ databases, tables }: Chosen): Lists {
  const partly = [...tables].filter(([database, names]) => !databases.has(database) && names.size > 0)
  const all = [...databases, ...partly.map(([database]) => database)].toSorted()
  const entries = all.flatMap((database) =>
    databases.has(database)
      ? [`${pattern(database)}\\..*`]
      : Array.from(tables.get(database) ?? [], (table) => `${pattern(database)}.${pattern(table)}`).toSorted(),
  )
  return {
    'database.include.list': all.map(pattern).join(','),
    'table.include.list': partly.length === 0 ? null : entries.join(','),
  }
}

/** Commas separate the entries of a list, so a comma in a name is any character. */
function pattern(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, (char) => (char === '$' ? '[$]' : `\\${char}`)).replaceAll(',', '.')
}
