import { type Table, type TableId, TableId as TableIds, type Tables } from '@tributary/connector-kit'
import type { TableMap } from '@tributary/mysql'
import type { ConnectorConfig } from '../config/connector-config.ts'
import type { TableCompiler } from '../tables/captured-table.ts'
import { type RowBinding, RowEventHandler } from './row-event-handler.ts'

export interface RowBindingsOptions {
  readonly config: Pick<ConnectorConfig, 'filter'>
  readonly tables: Tables
  readonly compiler: TableCompiler
}

interface Bound {
  readonly id: TableId
  /** As it was known then. */
  readonly table: Table | undefined
  /** Null: not captured, or refused. */
  readonly binding: RowBinding | null
  /** The round in which it was refused; null: it was not. */
  readonly refusedIn: number | null
  /** `Tables.changes` when the table was last seen to be that one. */
  checkedAt: number
}

/**
 * How the rows under each table map are read. A map may be the same before and behind a statement that changes the table (names need not stand in
 * it, and what may stand in it is not read): what is kept holds only as long as the table that it was made with is the one that is known.
 */
export class RowBindings {
  readonly #options: RowBindingsOptions
  readonly #bound = new WeakMap<TableMap, Bound>()
  /** Refusals hold for one round. */
  #round = 0

  constructor(options: RowBindingsOptions) {
    this.#options = options
  }

  /** Null: not captured. A text: why the map fits no table that is known. */
  of(map: TableMap): RowBinding | null | string {
    const bound = this.#bound.get(map)
    if (bound !== undefined && this.#holds(bound)) return bound.binding
    const binding = this.#bind(map)
    if (typeof binding !== 'string') this.set(map, binding)
    return binding
  }

  /** Rows under a map that fits no table are left out until `forgetRefused`, and then looked at again. */
  refuse(map: TableMap): void {
    this.#keep(map, null, this.#round)
  }

  forgetRefused(): void {
    this.#round += 1
  }

  /** What the server has told; null: not captured. */
  set(map: TableMap, binding: RowBinding | null): void {
    this.#keep(map, binding, null)
  }

  #keep(map: TableMap, binding: RowBinding | null, refusedIn: number | null): void {
    const { tables } = this.#options
    const id = TableIds.of(map.database, map.table)
    this.#bound.set(map, { id, table: tables.get(id), binding, refusedIn, checkedAt: tables.changes })
  }

  #holds(bound: Bound): boolean {
    const { tables } = this.#options
    if (bound.refusedIn !== null && bound.refusedIn !== this.#round) return false
    if (bound.checkedAt === tables.changes) return true
    if (tables.get(bound.id) !== bound.table) return false
    bound.checkedAt = tables.changes
    return true
  }

  #bind(map: TableMap): RowBinding | null | string {
    const { config, tables, compiler } = this.#options
    const id = TableIds.of(map.database, map.table)
    if (!config.filter.includesTable(id)) return null
    const table = tables.get(id)
    return table === undefined ? NOT_KNOWN : RowEventHandler.bind(compiler.compile(table), map)
  }
}

const NOT_KNOWN = 'no statement that created it is known'
