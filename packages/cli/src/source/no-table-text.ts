import type { DatabaseAddress } from './database-url.ts'

/** What a URL names, and the user cannot see: possibly a misspelt name. */
export function noTableText(server: string, { database, table }: DatabaseAddress): string {
  return `${server} has no ${named(database, table)} that the user can see. If there should be one, check the names and the user's privileges; changes are printed as soon as there is one`
}

function named(database: string | null, table: string | null): string {
  if (database === null) return 'table'
  return table === null ? `table in a database ${database}` : `table ${database}.${table}`
}
