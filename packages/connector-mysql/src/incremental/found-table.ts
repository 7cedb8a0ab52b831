import type { ChangesToSkip, TableId, Tables } from '@tributary/connector-kit'
import { chunkKeyOf } from '../chunks/chunk-key.ts'
import { connectorErrors } from '../errors.ts'
import type { SnapshotCollection } from '../offset/incremental-progress.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import type { WindowTarget } from './chunk-window.ts'
import { hiddenUpdate } from './hidden-update.ts'

export interface FindTableOptions {
  readonly tables: Pick<Tables<MySqlTable>, 'get'>
  readonly isCaptured: (id: TableId) => boolean
  /** `message.key.columns` of a table; null: none. */
  readonly messageKeyOf: (table: MySqlTable) => readonly string[] | null
  readonly skips: ChangesToSkip
  readonly compiler: Pick<TableCompiler, 'compile'>
}

/** How a table is read in chunks, or why it is not. */
export type FoundTable =
  | { readonly tag: 'target'; readonly target: Pick<WindowTarget, 'collection' | 'table' | 'key'> }
  | { readonly tag: 'not captured' }
  /** It has no definition at the position of the stream. */
  | { readonly tag: 'unknown' }
  /** `reason`: the end of a sentence that begins with the table. */
  | { readonly tag: 'refused'; readonly reason: string }

export function findTable(collection: SnapshotCollection, options: FindTableOptions): FoundTable {
  const { id, surrogateKey: surrogate } = collection
  const { tables, isCaptured, compiler, messageKeyOf, skips } = options
  if (!isCaptured(id)) return { tag: 'not captured' }
  const definition = tables.get(id)
  if (definition === undefined) return { tag: 'unknown' }
  const choice = chunkKeyOf(definition, { surrogate, messageKey: messageKeyOf(definition) })
  if (choice.tag === 'none') return { tag: 'refused', reason: choice.reason }
  const { key } = choice
  const table = compiler.compile(definition)
  const hidden = hiddenUpdate(table, key, skips)
  if (hidden !== null) return { tag: 'refused', reason: hidden }
  return { tag: 'target', target: { collection, table, key } }
}

/** The table has a definition on the server, and none at the position of the stream. */
export function unknownDefinition(id: TableId): Error {
  return connectorErrors.INCREMENTAL_OTHER_DEFINITION({
    table: id.toString(),
    what: 'its definition at the position of the stream is not known',
  })
}
