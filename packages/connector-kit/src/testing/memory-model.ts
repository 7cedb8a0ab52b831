import { type ConnectValue, Schema, Schemas, type SourceRecord, Struct } from '@tributary/connect-api'
import type { DataChangeRecords } from '../events/data-change-records.ts'
import type { SnapshotMarker } from '../events/record-format.ts'
import { DecodedRow } from '../events/row-image.ts'
import type { ChangedRows, SchemaStatement } from '../pipeline/change.ts'
import type { TableId } from '../relational/table-id.ts'
import type { Table } from '../relational/table.ts'
import { Tables } from '../relational/tables.ts'
import { buildTableSchema, type TableSchema } from '../schema/table-schema.ts'
import type { TopicNaming } from '../schema/topic-naming.ts'
import type { MemoryChange } from './memory-database.ts'
import type { MemoryPosition } from './memory-position.ts'

export const memorySourceSchema: Schema = Schema.struct(
  [
    ['entries', Schemas.int32],
    ['snapshot', Schemas.string],
  ],
  { name: 'memory.Source' },
)

/** The table model of a task, and the schemas of its tables. */
export class MemoryModel {
  readonly tables: Tables = new Tables()
  readonly #naming: TopicNaming
  readonly #schemas = new WeakMap<Table, TableSchema>()

  constructor(naming: TopicNaming) {
    this.#naming = naming
  }

  schemaOf(table: Table): TableSchema {
    const known = this.#schemas.get(table)
    if (known !== undefined) return known
    const columns = table.columns.map(({ name, jdbcType, optional }, rowIndex) => ({
      name,
      schema: Schema.of(jdbcType === 4 ? 'int32' : 'string', { optional }),
      rowIndex,
      mask: null,
    }))
    const schema = buildTableSchema({
      id: table.id,
      topic: this.#naming.topicOf(table.id).name,
      rowWidth: table.columns.length,
      columns,
      keyColumns: columns.filter(({ name }) => table.primaryKeyColumnNames.includes(name)),
      envelope: { version: 1, sourceSchema: memorySourceSchema, transactionSchema: null },
    })
    this.#schemas.set(table, schema)
    return schema
  }
}

export function memorySource({ entries }: MemoryPosition, snapshot: SnapshotMarker): Struct {
  return new Struct(memorySourceSchema, [entries, snapshot])
}

/** A statement about one table. */
export function memoryStatement(
  { sql, type, table }: { readonly sql: string; readonly type: 'CREATE' | 'ALTER'; readonly table: Table },
  position: MemoryPosition,
  snapshot: SnapshotMarker,
): SchemaStatement {
  const changes = [{ type, id: table.id, previousId: null, table }]
  return {
    events: [{ databaseName: table.id.database, ddl: sql, changes }],
    isStored: false,
    sourceOf: () => memorySource(position, snapshot),
  }
}

export interface MemoryRowsOptions {
  readonly schema: TableSchema
  readonly positionBefore: MemoryPosition
  readonly position: MemoryPosition
  readonly marker: SnapshotMarker
}

/** Changed rows of one table, or rows of a snapshot. */
export class MemoryRows implements ChangedRows {
  readonly #options: MemoryRowsOptions
  readonly #changes: readonly Omit<MemoryChange, 'table'>[]

  constructor(options: MemoryRowsOptions, changes: readonly Omit<MemoryChange, 'table'>[]) {
    this.#options = options
    this.#changes = changes
  }

  get table(): TableId {
    return this.#options.schema.id
  }

  produce(records: DataChangeRecords, out: SourceRecord[]): void {
    const { schema, position, positionBefore, marker } = this.#options
    const origin = {
      table: schema,
      source: memorySource(position, marker),
      offsetBefore: positionBefore,
      offset: position,
    }
    const imageOf = (row: readonly ConnectValue[]): DecodedRow => new DecodedRow(schema, row)
    for (const { before, after } of this.#changes) {
      if (after === null) records.delete(origin, imageOf(before ?? []), out)
      else if (before !== null) records.update(origin, imageOf(before), imageOf(after), out)
      else if (marker === 'false') records.create(origin, imageOf(after), out)
      else records.read(origin, imageOf(after), out)
    }
  }
}
