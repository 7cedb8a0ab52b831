import type { ConnectValue } from '@tributary/connect-api'
import {
  buildTableSchema,
  type ColumnField,
  type EnvelopeForm,
  type NameAdjuster,
  type TableSchema,
  type TopicNaming,
} from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { ColumnTarget } from '@tributary/mysql'
import type { Logger } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { ColumnMapping } from '../values/column-mapping.ts'
import { mapColumn } from '../values/map-column.ts'
import type { ValueOptions } from '../values/value-options.ts'

/** One version of a table with everything that its events need. */
export interface CapturedTable {
  readonly table: MySqlTable
  readonly schema: TableSchema
  /** One per column of the table; null: its values cannot be given yet, it is left out of events. */
  readonly mappings: readonly (ColumnMapping | null)[]
  /** What the row decoders hand values to: one per value in a row of the binlog. */
  readonly targets: readonly (ColumnTarget<ConnectValue> | null)[]
}

export interface TableCompilerOptions {
  readonly naming: TopicNaming
  readonly values: ValueOptions
  readonly envelope: EnvelopeForm
  readonly adjustSchemaName: NameAdjuster
  readonly adjustFieldName: NameAdjuster
  readonly logger: Logger
  /** How many are kept. */
  readonly keptMax?: number
}

/**
 * Makes captured tables of table definitions, each version once: what converters compile is found by the identity of its schemas.
 * Only those used last are kept. A table takes 2.5 KB as a definition and 20 KB compiled with its converter (five columns).
 */
export class TableCompiler {
  readonly #options: TableCompilerOptions
  /** Those used last stand last. */
  readonly #compiled = new Map<MySqlTable, CapturedTable>()

  constructor(options: TableCompilerOptions) {
    this.#options = options
  }

  compile(table: MySqlTable): CapturedTable {
    const captured = this.#compiled.get(table) ?? this.compileOnce(table)
    this.#compiled.delete(table)
    this.#compiled.set(table, captured)
    const [oldest] = this.#compiled.keys()
    if (this.#compiled.size > (this.#options.keptMax ?? KEPT_MAX) && oldest !== undefined) this.#compiled.delete(oldest)
    return captured
  }

  /**
   * The same without keeping it, for work that visits each table once: what is kept for long and then dropped is the most expensive
   * kind of garbage (thousands of tables in a row took 60 MB so).
   */
  compileOnce(table: MySqlTable): CapturedTable {
    const { naming, envelope, adjustSchemaName, adjustFieldName } = this.#options
    const mappings = table.columns.map((column) => this.#map(table, column))
    const columns: ColumnField[] = []
    for (const [rowIndex, mapping] of mappings.entries()) {
      const name = table.columns[rowIndex]?.name
      if (mapping !== null && name !== undefined)
        columns.push({ name: adjustFieldName(name), schema: mapping.schema, rowIndex })
    }
    this.#refuseClashes(table, columns)
    const targets = mappings.map((mapping) => mapping?.target ?? null)
    // The two columns of a row's period stand at the end of each row and belong to no column of the definition.
    if (table.hasHiddenRowPeriod) targets.push(null, null)
    const schema = buildTableSchema({
      id: table.id,
      topic: naming.dataChangeTopic(table.id),
      rowWidth: targets.length,
      columns,
      keyColumnNames: table.primaryKeyColumnNames.map((name) => adjustFieldName(name)),
      envelope,
      adjustSchemaName,
    })
    return { table, schema, mappings, targets }
  }

  /** Two columns that became one name would write one of them twice. */
  #refuseClashes(table: MySqlTable, columns: readonly ColumnField[]): void {
    const seen = new Set<string>()
    for (const { name } of columns) {
      if (seen.has(name)) throw connectorErrors.FIELD_NAMES_CLASH({ table: table.id.toString(), name })
      seen.add(name)
    }
  }

  #map(table: MySqlTable, column: MySqlTable['columns'][number]): ColumnMapping | null {
    const place = `${table.id.toString()}.${column.name}`
    const result = mapColumn(column, this.#options.values)
    if (result.tag === 'mapped') return result.mapping
    this.#options.logger.warn(`Column ${place} is left out of events: this version does not support ${result.part} yet`)
    return null
  }
}

/** About 40 MB of tables that are written to at one time; a table beyond them takes 2 ms when it is written to again. */
const KEPT_MAX = 6_000
