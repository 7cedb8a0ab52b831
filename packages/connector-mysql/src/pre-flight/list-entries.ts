import type { ConfigMap } from '@tributary/connect-api'
import { RegexList } from '@tributary/connector-kit'
import type { TableName } from './table-name.ts'

/** The entries of an include list that match none of the names. */
export function unmatchedEntries(list: string | undefined, names: readonly string[]): readonly string[] {
  const regexes = new RegexList(list ?? '')
  const matched = new Set(names.flatMap((name) => regexes.matching(name)))
  return regexes.entries.filter((_, index) => !matched.has(index))
}

/** Names in the include lists that are no patterns: `inventory`, `inventory.customers`, `inventory\.customers`. */
export function plainNames(properties: ConfigMap): readonly TableName[] {
  const databases = new RegexList(properties['database.include.list'] ?? '').entries
    .filter((entry) => /^[\w-]+$/.test(entry))
    .map((database) => ({ database, table: null }))
  const tables = new RegexList(properties['table.include.list'] ?? '').entries.flatMap((entry) => {
    const [, database, table] = /^([\w-]+)\\?\.([\w-]+)$/.exec(entry) ?? []
    return database === undefined || table === undefined ? [] : [{ database, table }]
  })
  return [...databases, ...tables]
}
