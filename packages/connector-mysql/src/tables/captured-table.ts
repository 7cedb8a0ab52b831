import type { ConnectValue, Schema } from '@tributary/connect-api'
import {
  buildTableSchema,
  type ColumnMask,
  type EnvelopeForm,
  type KeyField,
  type NameAdjuster,
  type TableSchema,
  type TopicNaming,
  type ValueField,
} from '@tributary/connector-kit'
import type { ColumnRules } from '../columns/column-rules.ts'
import type { ColumnConversions } from '../converters/column-converters.ts'
import { columnTypeOf } from '../schema/column-type-of.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { ColumnTarget } from '@tributary/mysql'
import { type CodedError, type Logger, unreachable } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { ColumnMapping } from '../values/column-mapping.ts'
import { mapColumn } from '../values/map-column.ts'
import { rawMapping } from '../values/raw-mapping.ts'
import type { ValueOptions } from '../values/value-options.ts'
import { TableTopics } from './table-topics.ts'
import { type UnreadableColumn, unreadableColumns } from './unreadable-columns.ts'

/** One version of a table, with the schemas and decoders of its events. */
export interface CapturedTable {
  readonly table: MySqlTable
  readonly schema: TableSchema
  /** One per column of the table; null for a column that neither keys nor values of events contain. */
  readonly mappings: readonly (ColumnMapping | null)[]
  /** The targets of the row decoders, one per value in a row of the binlog. */
  readonly targets: readonly (ColumnTarget<ConnectValue> | null)[]
  /** The value in a row of the binlog that is the end of the row's version; null for a table without versions. */
  readonly versionEnd: number | null
  /** False: an INSERT with a smaller row image omits generated columns, which the definition does not show. */
  readonly logsVirtualColumns: boolean
  /** Whether a post processor reads a field of values from the table again when the binlog does not have it. */
  readonly readsAgain: (field: number) => boolean
  /** Thrown when rows of the table are to be read: a column has values that cannot be converted. */
  readonly refusal: CodedError | null
  /** Columns whose values are raw bytes. */
  readonly rawColumns: readonly UnreadableColumn[]
}

export interface TableCompilerOptions {
  readonly naming: TopicNaming
  readonly values: ValueOptions
  /** Whether events may have the raw bytes of columns whose values cannot be converted. */
  readonly allowsRawColumns: boolean
  readonly columns: ColumnRules
  readonly converters: ColumnConversions
  readonly envelope: EnvelopeForm
  /** False on MariaDB, whose row images may omit virtual columns. */
  readonly logsVirtualColumns: boolean
  /** Default: no field is read again. */
  readonly readsAgain?: (table: CapturedTable, field: number) => boolean
  readonly adjustSchemaName: NameAdjuster
  readonly adjustFieldName: NameAdjuster
  readonly logger: Logger
  /** Most tables that `compile` keeps. */
  readonly keptMax?: number
}

/**
 * Compiles table definitions to captured tables, each version once: converters find what they have compiled by the
 * identity of the schemas. It keeps the tables that were used last. A table of five columns takes 2.5 KB as a
 * definition, and 20 KB compiled together with its converter.
 */
export class TableCompiler {
  readonly #options: TableCompilerOptions
  readonly #topics: TableTopics
  /** In the order of their last use. */
  readonly #compiled = new Map<MySqlTable, CapturedTable>()

  constructor(options: TableCompilerOptions) {
    this.#options = options
    this.#topics = new TableTopics(options.naming, options.logger)
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
   * Compiles a table without keeping it, for work that visits each table once. Objects that live long and are then
   * dropped are the most expensive garbage: thousands of tables in a row took 60 MB.
   */
  compileOnce(table: MySqlTable): CapturedTable {
    const { envelope, adjustSchemaName } = this.#options
    const keyNames = this.#keyNames(table)
    const versionEnd = versionEndOf(table)
    const mapped = table.columns.map((column, i) =>
      this.#map(table, column, keyNames.includes(column.name) || i === versionEnd),
    )
    const mappings = mapped.map((each) => each?.mapping ?? null)
    const rawColumns = mapped.flatMap((each) => each?.unreadable ?? [])
    const columns = this.#valueFields(table, mappings)
    const keyColumns = this.#keyFields(table, mappings, keyNames)
    const targets = mappings.map((mapping) => mapping?.target ?? null)
    // Each row ends with start and end of its version, which are not in the definition.
    if (table.versioning.tag === 'hidden') targets.push(null, HIDDEN_END)
    const { name: topic, keyField } = this.#topics.of(table.id)
    if (keyField !== null && keyColumns.some(({ name }) => name === keyField.name)) {
      throw connectorErrors.KEY_FIELD_CLASH({ table: table.id.toString(), name: keyField.name })
    }
    const isLossy = mappings.some((mapping) => mapping !== null && mapping.isLossy === true)
    const schema = buildTableSchema({
      id: table.id,
      topic,
      rowWidth: targets.length,
      columns,
      keyColumns,
      keyField,
      envelope,
      isLossy,
      adjustSchemaName,
    })
    const captured: CapturedTable = {
      table,
      schema,
      mappings,
      targets,
      versionEnd,
      refusal: this.#refusalOf(table, rawColumns),
      rawColumns,
      logsVirtualColumns: this.#options.logsVirtualColumns,
      readsAgain: (field) => this.#options.readsAgain?.(captured, field) ?? false,
    }
    return captured
  }

  #keyNames(table: MySqlTable): readonly string[] {
    const { columns, logger } = this.#options
    const names = columns.keyOf(table)
    if (names === null) return table.primaryKeyColumnNames
    if (names.length === 0) {
      logger.warn(`message.key.columns names no column of ${table.id.toString()}: its events have no key`)
    }
    return names
  }

  #valueFields(table: MySqlTable, mappings: readonly (ColumnMapping | null)[]): readonly ValueField[] {
    const { columns: rules, adjustFieldName } = this.#options
    const fields = mappings.flatMap((mapping, rowIndex): ValueField[] => {
      const column = table.columns[rowIndex]
      if (mapping === null || column === undefined || !rules.includes(table.id, column.name)) return []
      const treatment = rules.treatmentOf(table.id, column)
      const schema = withParameters(mapping.schema, treatment.parameters)
      const mask = maskOf(mapping, treatment.mask)
      return [{ name: adjustFieldName(column.name), schema, rowIndex, mask }]
    })
    this.#refuseClashes(table, fields)
    return fields
  }

  /** None when events leave out a column of the key: a part of a key is not unique. */
  #keyFields(
    table: MySqlTable,
    mappings: readonly (ColumnMapping | null)[],
    names: readonly string[],
  ): readonly KeyField[] {
    const fields = names.flatMap((name): KeyField[] => {
      const rowIndex = table.columns.findIndex((column) => column.name === name)
      const mapping = mappings[rowIndex] ?? null
      if (mapping === null) return []
      const { schema } = mapping
      return [{ name: this.#options.adjustFieldName(name), schema, rowIndex, mask: maskOf(mapping, null) }]
    })
    return fields.length === names.length ? fields : []
  }

  /** Throws when two columns have one field name: an event would have one of them twice. */
  #refuseClashes(table: MySqlTable, columns: readonly ValueField[]): void {
    const seen = new Set<string>()
    for (const { name } of columns) {
      if (seen.has(name)) throw connectorErrors.FIELD_NAMES_CLASH({ table: table.id.toString(), name })
      seen.add(name)
    }
  }

  /** `isNeeded`: a column that values exclude is read for the key, or for the end of the row's version. */
  #map(table: MySqlTable, column: MySqlTable['columns'][number], isNeeded: boolean): Mapped | null {
    if (!isNeeded && !this.#options.columns.includes(table.id, column.name)) return null
    const result = mapColumn(column, this.#options.values)
    if (result.tag === 'mapped') return { mapping: this.#converted(table, column, result.mapping), unreadable: [] }
    return { mapping: rawMapping(column), unreadable: [{ name: column.name, unsupported: result.part }] }
  }

  /** Raw bytes need a permission, and would show what a mask hides. */
  #refusalOf(table: MySqlTable, rawColumns: readonly UnreadableColumn[]): CodedError | null {
    if (rawColumns.length === 0) return null
    const { columns: rules, allowsRawColumns } = this.#options
    const isMasked = rawColumns.some(({ name }) => rules.isToBeHidden(table.id, name))
    return isMasked || !allowsRawColumns ? unreadableColumns(table.id, rawColumns, { isMasked }) : null
  }

  #converted(table: MySqlTable, column: MySqlTable['columns'][number], plain: ColumnMapping): ColumnMapping {
    const { converters, logger } = this.#options
    const conversion = converters.conversionOf({ table: table.id, column, type: columnTypeOf(column), plain })
    if (conversion === null) return plain
    if (conversion.tag === 'converted') return { isLossy: true, ...conversion.mapping }
    logger.warn(`The column ${table.id.toString()}.${column.name} keeps its form: ${conversion.reason}`)
    return plain
  }
}

interface Mapped {
  readonly mapping: ColumnMapping
  /** One, when the mapping is of raw bytes. */
  readonly unreadable: readonly UnreadableColumn[]
}

/** The mask of a column whose NULL is replaced first. */
function maskOf({ nullValue }: ColumnMapping, mask: ColumnMask | null): ColumnMask | null {
  if (nullValue === undefined) return mask
  return (value) => {
    const given = value ?? nullValue
    return mask === null ? given : mask(given)
  }
}

function withParameters(schema: Schema, added: Readonly<Record<string, string>>): Schema {
  return Object.keys(added).length === 0 ? schema : schema.with({ parameters: { ...schema.parameters, ...added } })
}

/** The hidden end of a version is in no record, so the form of its value does not matter. */
const HIDDEN_END: ColumnTarget<ConnectValue> = { kind: 'timestamp', of: (seconds, micros) => seconds * 1e6 + micros }

function versionEndOf({ versioning, columns }: MySqlTable): number | null {
  switch (versioning.tag) {
    case 'none':
    // `bindRows` refuses rows that may have versions.
    case 'unknown':
      return null
    case 'hidden':
      return columns.length + 1
    case 'column': {
      const end = versioning.end.toLowerCase()
      return columns.findIndex(({ name }) => name.toLowerCase() === end)
    }
    default:
      return unreachable(versioning)
  }
}

/** About 40 MB. Compiling a table again takes 2 ms. */
const KEPT_MAX = 6_000
