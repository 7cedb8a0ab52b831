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

/** The properties that capture what is chosen, and nothing else. Their entries are patterns of whole names. */
export function includeLists({ databases, tables }: Chosen): Readonly<Record<string, string | null>> {
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
