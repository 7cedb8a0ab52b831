import type { ConfigMap } from '@tributary/connect-api'
import { RegexList } from '@tributary/connector-kit'
import type { TableName } from './table-name.ts'

/** The patterns of an include list as they were written. */
export function entriesOf(list: string | undefined): readonly string[] {
  return (list ?? '')
    .split(/(?<!\\),/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Those of the patterns that match none of the names. */
export function unmatchedEntries(list: string | undefined, names: readonly string[]): readonly string[] {
  return entriesOf(list).filter((entry) => {
    const regex = new RegexList(entry)
    return !names.some((name) => regex.matches(name))
  })
}

/** What the include lists name without any pattern: `inventory`, `inventory.customers`, `inventory\.customers`. */
export function plainNames(properties: ConfigMap): readonly TableName[] {
  const databases = entriesOf(properties['database.include.list'])
    .filter((entry) => /^[\w-]+$/.test(entry))
    .map((database) => ({ database, table: null }))
  const tables = entriesOf(properties['table.include.list']).flatMap((entry) => {
    const [, database, table] = /^([\w-]+)\\?\.([\w-]+)$/.exec(entry) ?? []
    return database === undefined || table === undefined ? [] : [{ database, table }]
  })
  return [...databases, ...tables]
}
