import type { Tables } from '@tributary/connector-kit'
import type { Statement } from '@tributary/mysql'
import { unreachable } from '@tributary/support'
import type { MySqlTable } from './mysql-table.ts'
import type { ServerCharsets } from './server-charsets.ts'

export type DatabaseStatement = Extract<Statement, { tag: 'createDatabase' | 'alterDatabase' | 'dropDatabase' }>

/** What statements about a whole database change. */
export interface DatabaseModel {
  readonly tables: Tables<MySqlTable>
  readonly charsets: ServerCharsets
  /** The default of CREATE DATABASE in the session; null: that of the server. */
  readonly serverCharset: string | null
}

export function applyToDatabase(
  statement: DatabaseStatement,
  database: string,
  { tables, charsets, serverCharset }: DatabaseModel,
): void {
  switch (statement.tag) {
    case 'createDatabase':
      if (statement.isReplacing) tables.removeDatabase(database)
      if (!(statement.isIfNotExists && charsets.of(database) !== null)) {
        charsets.create(database, statement.options, serverCharset)
      }
      return
    case 'alterDatabase':
      charsets.alter(database, statement.options)
      return
    case 'dropDatabase':
      tables.removeDatabase(database)
      charsets.drop(database)
      return
    default:
      unreachable(statement)
  }
}
