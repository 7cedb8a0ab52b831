import {
  type ConnectValue,
  NO_HEADERS,
  type NameAdjuster,
  Schema,
  Schemas,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  Struct,
} from '@tributary/connect-api'
import { inHashOrder } from './hash-order.ts'
import type { TransactionProgress } from './transaction-progress.ts'

const collectionSchema = Schema.struct(
  [
    ['data_collection', Schemas.string],
    ['event_count', Schemas.int64],
  ],
  { name: 'event.collection', version: 1, optional: true },
)

export interface TransactionRecordsOptions {
  readonly partition: SourcePartition
  readonly topic: string
  readonly adjustSchemaName: NameAdjuster
}

/** Begin or end of a transaction: what its record contains. */
export interface TransactionBoundary {
  readonly status: 'BEGIN' | 'END'
  readonly id: string
  readonly timestampMs: number
  readonly offset: SourceOffset
  /** Of the transaction that ends; null at its begin. */
  readonly progress: TransactionProgress | null
}

/** Makes the records of the transaction topic, in the form of Debezium 3.6. */
export class TransactionRecords {
  readonly #options: TransactionRecordsOptions
  readonly #keySchema: Schema
  readonly #valueSchema: Schema

  constructor(options: TransactionRecordsOptions) {
    const { adjustSchemaName } = options
    this.#options = options
    this.#keySchema = Schema.struct([['id', Schemas.string]], {
      name: adjustSchemaName('io.debezium.connector.common.TransactionMetadataKey'),
      version: 1,
    })
    this.#valueSchema = Schema.struct(
      [
        ['status', Schemas.string],
        ['id', Schemas.string],
        ['event_count', Schemas.optionalInt64],
        ['data_collections', Schema.array(collectionSchema, { optional: true })],
        ['ts_ms', Schemas.int64],
      ],
      { name: adjustSchemaName('io.debezium.connector.common.TransactionMetadataValue'), version: 1 },
    )
  }

  record({ status, id, timestampMs, offset, progress }: TransactionBoundary): SourceRecord {
    const { partition, topic } = this.#options
    const values: ConnectValue[] = [status, id, progress?.total ?? null, collectionsOf(progress), timestampMs]
    return {
      sourcePartition: partition,
      sourceOffset: offset,
      topic,
      partition: null,
      keySchema: this.#keySchema,
      key: new Struct(this.#keySchema, [id]),
      valueSchema: this.#valueSchema,
      value: new Struct(this.#valueSchema, values),
      timestamp: null,
      headers: NO_HEADERS,
    }
  }
}

function collectionsOf(progress: TransactionProgress | null): readonly Struct[] | null {
  if (progress === null) return null
  return inHashOrder(progress.counts).map(([table, count]) => new Struct(collectionSchema, [table, count]))
}
