import { type TableId, TableId as TableIds, type Tables } from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { TableMap } from '@tributary/mysql'
import type { ConnectorConfig } from '../config/connector-config.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { bindRows, NOT_CAPTURED, type RowBinding } from './row-binding.ts'

export interface RowBindingsOptions {
  readonly config: Pick<ConnectorConfig, 'filter'>
  readonly tables: Tables<MySqlTable>
  readonly compiler: TableCompiler
  /** Whether the rows of a table are left out, because its definition is not known. */
  readonly isStopped: (id: TableId) => boolean
}

interface Bound {
  readonly id: TableId
  /** As it was known then. */
  readonly table: MySqlTable | undefined
  readonly binding: RowBinding
  /** The round in which it was refused; null: it was not. */
  readonly refusedIn: number | null
  /** `Tables.changes` when the table was last seen to be that one. */
  checkedAt: number
}

/**
 * Keeps how the rows under each table map are read. A map may be the same before and after a statement that changes the
 * table (it need not contain names, and names in it are not read): so a binding is valid only while the model has the
 * table that it was made with.
 */
export class RowBindings {
  readonly #options: RowBindingsOptions
  #bound = new WeakMap<TableMap, Bound>()
  /** A refusal is valid for one round. */
  #round = 0

  constructor(options: RowBindingsOptions) {
    this.#options = options
  }

  of(map: TableMap): RowBinding {
    const bound = this.#bound.get(map)
    if (bound !== undefined && this.#isValid(bound)) return bound.binding
    const binding = this.#bind(map)
    if (binding.tag !== 'unknown') this.set(map, binding)
    return binding
  }

  /** Rows under a map that fits no table are left out until `forgetRefused`; then the map is compared again. */
  refuse(map: TableMap): void {
    this.#keep(map, NOT_CAPTURED, this.#round)
  }

  forgetRefused(): void {
    this.#round += 1
  }

  /** The server numbers its tables anew. */
  forgetNumbers(): void {
    this.#bound = new WeakMap()
  }

  /** Stores the binding of a table map. Its definition came from the server, or from the metadata of the map. */
  set(map: TableMap, binding: RowBinding): void {
    this.#keep(map, binding, null)
  }

  #keep(map: TableMap, binding: RowBinding, refusedIn: number | null): void {
    const { tables } = this.#options
    const id = TableIds.of(map.database, map.table)
    this.#bound.set(map, { id, table: tables.get(id), binding, refusedIn, checkedAt: tables.changes })
  }

  #isValid(bound: Bound): boolean {
    const { tables } = this.#options
    if (bound.refusedIn !== null && bound.refusedIn !== this.#round) return false
    if (bound.checkedAt === tables.changes) return true
    if (tables.get(bound.id) !== bound.table) return false
    bound.checkedAt = tables.changes
    return true
  }

  #bind(map: TableMap): RowBinding {
    const { config, tables, compiler, isStopped } = this.#options
    const id = TableIds.of(map.database, map.table)
    if (!config.filter.includesTable(id) || isStopped(id)) return NOT_CAPTURED
    const table = tables.get(id)
    if (table === undefined) return { tag: 'unknown', reason: 'no statement that the connector has read defines it' }
    return bindRows(compiler.compile(table), map)
  }
}
