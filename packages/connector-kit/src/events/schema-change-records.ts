import {
  type ConnectValue,
  type Header,
  Schema,
  Schemas,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  Struct,
} from '@tributary/connect-api'
import type { Clock } from '@tributary/support'
import type { Column } from '../relational/column.ts'
import type { TableChange } from '../relational/table-change.ts'
import type { Table } from '../relational/table.ts'

/** Schemas of `io.debezium.connector.schema.*`: a table change as a struct. */
const columnSchema = Schema.struct(
  [
    ['name', Schemas.string],
    ['jdbcType', Schemas.int32],
    ['nativeType', Schemas.optionalInt32],
    ['typeName', Schemas.string],
    ['typeExpression', Schemas.optionalString],
    ['charsetName', Schemas.optionalString],
    ['length', Schemas.optionalInt32],
    ['scale', Schemas.optionalInt32],
    ['position', Schemas.int32],
    ['optional', Schemas.optionalBoolean],
    ['autoIncremented', Schemas.optionalBoolean],
    ['generated', Schemas.optionalBoolean],
    ['comment', Schemas.optionalString],
    ['defaultValueExpression', Schemas.optionalString],
    ['enumValues', Schema.array(Schemas.string, { optional: true })],
  ],
  { name: 'io.debezium.connector.schema.Column', version: 1 },
)

const tableSchema = Schema.struct(
  [
    ['defaultCharsetName', Schemas.optionalString],
    ['primaryKeyColumnNames', Schema.array(Schemas.string, { optional: true })],
    ['columns', Schema.array(columnSchema)],
    ['comment', Schemas.optionalString],
  ],
  { name: 'io.debezium.connector.schema.Table', version: 1, optional: true },
)

const changeSchema = Schema.struct(
  [
    ['type', Schemas.string],
    ['id', Schemas.string],
    ['table', tableSchema],
  ],
  { name: 'io.debezium.connector.schema.Change', version: 1 },
)

export interface SchemaChangeRecordsOptions {
  readonly partition: SourcePartition
  /** `<prefix>` */
  readonly topic: string
  /** Namespace of the schema names, such as `io.debezium.connector.mysql`. */
  readonly schemaNamePrefix: string
  readonly sourceSchema: Schema
  /** On every record. */
  readonly headers: readonly Header[]
  readonly clock: Clock
}

/** The contents of a record of the schema change topic. */
export interface SchemaChangeEvent {
  readonly databaseName: string
  readonly ddl: string
  readonly changes: readonly TableChange[]
  readonly source: Struct
  readonly offset: SourceOffset
  /** Besides those of every record. */
  readonly headers?: readonly Header[]
}

/** Makes the records of the schema change topic, one per statement and database, in the form of Debezium 3.6. */
export class SchemaChangeRecords {
  readonly #options: SchemaChangeRecordsOptions
  readonly #keySchema: Schema
  readonly #valueSchema: Schema

  constructor(options: SchemaChangeRecordsOptions) {
    this.#options = options
    this.#keySchema = Schema.struct([['databaseName', Schemas.string]], {
      name: `${options.schemaNamePrefix}.SchemaChangeKey`,
      version: 1,
    })
    this.#valueSchema = Schema.struct(
      [
        ['source', options.sourceSchema],
        ['ts_ms', Schemas.int64],
        ['databaseName', Schemas.optionalString],
        ['schemaName', Schemas.optionalString],
        ['ddl', Schemas.optionalString],
        ['tableChanges', Schema.array(changeSchema)],
      ],
      { name: `${options.schemaNamePrefix}.SchemaChangeValue`, version: 1 },
    )
  }

  record({ databaseName, ddl, changes, source, offset, headers = [] }: SchemaChangeEvent): SourceRecord {
    const { partition, topic, clock } = this.#options
    return {
      sourcePartition: partition,
      sourceOffset: offset,
      topic,
      partition: 0,
      keySchema: this.#keySchema,
      key: new Struct(this.#keySchema, [databaseName]),
      valueSchema: this.#valueSchema,
      value: new Struct(this.#valueSchema, [source, clock.now(), databaseName, null, ddl, changes.map(changeStruct)]),
      timestamp: null,
      headers: headers.length === 0 ? this.#options.headers : [...this.#options.headers, ...headers],
    }
  }
}

function changeStruct({ type, id, table }: TableChange): Struct {
  return new Struct(changeSchema, [type, id.toQuotedString(), table === null ? null : tableStruct(table)])
}

function tableStruct({ defaultCharsetName, primaryKeyColumnNames, columns, comment }: Table): Struct {
  return new Struct(tableSchema, [defaultCharsetName, primaryKeyColumnNames, columns.map(columnStruct), comment])
}

function columnStruct(column: Column): Struct {
  const values: ConnectValue[] = [
    column.name,
    column.jdbcType,
    column.nativeType,
    column.typeName,
    column.typeExpression,
    column.charsetName,
    column.length,
    column.scale,
    column.position,
    column.optional,
    column.autoIncremented,
    column.generated,
    column.comment,
    column.defaultValueExpression,
    column.enumValues.length === 0 ? null : column.enumValues,
  ]
  return new Struct(columnSchema, values)
}
