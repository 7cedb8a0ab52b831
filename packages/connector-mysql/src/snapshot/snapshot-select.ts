import type { ConnectValue } from '@tributary/connect-api'
import { type ColumnTarget, type RowReader, TextRowCodec } from '@tributary/mysql'
import type { OverrideSelect } from './snapshot-override.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import { selectExpression } from '../tables/select-expression.ts'

/** How the rows of a table are read. */
export type SnapshotSelect =
  /** `sql`: the statement for all rows. */
  | { readonly tag: 'own'; readonly sql: string; readonly reader: RowReader<ConnectValue> }
  /** A statement of `snapshot.select.statement.overrides`. */
  | ({ readonly tag: 'override' } & OverrideSelect)

const NOTHING: ColumnTarget<ConnectValue> = { kind: 'binary', of: () => null }

/** A row has a value for each column of the table, in order; of columns that are left out of events it is NULL. */
export function snapshotSelect({ table, mappings }: CapturedTable): SnapshotSelect {
  const expressions = table.columns.map(({ name }, i) => {
    const mapping = mappings[i] ?? null
    return mapping === null ? 'NULL' : selectExpression(quoted(name), mapping)
  })
  const { database, table: name } = table.id
  return {
    tag: 'own',
    sql: `SELECT ${expressions.join(', ')} FROM ${quoted(database)}.${quoted(name)}`,
    reader: new TextRowCodec(mappings.map((mapping) => mapping?.target ?? NOTHING)),
  }
}
