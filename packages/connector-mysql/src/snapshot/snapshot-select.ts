import type { ConnectValue } from '@tributary/connect-api'
import { type ColumnTarget, type RowReader, TextRowCodec } from '@tributary/mysql'
import type { OverrideSelect } from './snapshot-override.ts'
import { quoted } from '../tables/quoted-name.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { ColumnMapping } from '../values/column-mapping.ts'

/** How the rows of a table are read. */
export type SnapshotSelect =
  /** `sql`: the statement for all rows. */
  | { readonly tag: 'own'; readonly sql: string; readonly reader: RowReader<ConnectValue> }
  /** A statement of `snapshot.select.statement.overrides`. */
  | ({ readonly tag: 'override' } & OverrideSelect)

const NOTHING: ColumnTarget<ConnectValue> = { kind: 'binary', of: () => null }

/** A row has a value for each column of the table, in order; of columns that are left out of events it is NULL. */
export function snapshotSelect({ table, mappings }: CapturedTable): SnapshotSelect {
  const expressions = table.columns.map(({ name }, i) => expressionOf(quoted(name), mappings[i] ?? null))
  const { database, table: name } = table.id
  return {
    tag: 'own',
    sql: `SELECT ${expressions.join(', ')} FROM ${quoted(database)}.${quoted(name)}`,
    reader: new TextRowCodec(mappings.map((mapping) => mapping?.target ?? NOTHING)),
  }
}

/**
 * A product with one makes the server print FLOAT and DOUBLE with all their digits (a sum with zero would lose the sign
 * of -0). The cast selects ENUM and SET as numbers, as in the binlog; a sum would round a SET of 64 members.
 */
function expressionOf(column: string, mapping: ColumnMapping | null): string {
  if (mapping === null) return 'NULL'
  switch (mapping.select) {
    case 'plain':
      return column
    case 'double':
      return `${column}*1e0`
    case 'integer':
      return `CAST(${column} AS UNSIGNED)`
  }
}
