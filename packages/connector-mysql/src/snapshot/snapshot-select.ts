import type { ConnectValue } from '@tributary/connect-api'
import { type ColumnTarget, type RowReader, TextRowCodec } from '@tributary/mysql'
import type { OverrideSelect } from './snapshot-override.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { quoted } from '../tables/quoted-name.ts'
import { selectExpression } from '../tables/select-expression.ts'

/** How the rows of a table are read. */
export type SnapshotSelect =
  | OwnSelect
  /** A statement of `snapshot.select.statement.overrides`. */
  | ({ readonly tag: 'override' } & OverrideSelect)

export interface OwnSelect {
  readonly tag: 'own'
  /** The statement for all rows. */
  readonly sql: string
  /** What it selects of a row. */
  readonly expressions: string
  /** Of the values of a row. */
  readonly targets: readonly ColumnTarget<ConnectValue>[]
  readonly reader: RowReader<ConnectValue>
}

const NOTHING: ColumnTarget<ConnectValue> = { kind: 'binary', of: () => null }

/** A row has a value for each column of the table, in order; of columns that are left out of events it is NULL. */
export function snapshotSelect({ table, mappings }: CapturedTable): OwnSelect {
  const selected = table.columns.map(({ name }, i) => {
    const mapping = mappings[i] ?? null
    return mapping === null ? 'NULL' : selectExpression(quoted(name), mapping)
  })
  const { database, table: name } = table.id
  const expressions = selected.join(', ')
  const targets = mappings.map((mapping) => mapping?.target ?? NOTHING)
  return {
    tag: 'own',
    expressions,
    sql: `SELECT ${expressions} FROM ${quoted(database)}.${quoted(name)}`,
    targets,
    reader: new TextRowCodec(targets),
  }
}
