import {
  NO_HEADERS,
  Schema,
  Schemas,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  Struct,
} from '@tributary/connect-api'

/** What happened to a snapshot, in the terms of Debezium 3.6. */
export interface Notification {
  readonly id: string
  readonly aggregateType: 'Initial Snapshot' | 'Incremental Snapshot'
  readonly type: NotificationType
  readonly data: ReadonlyMap<string, string>
  readonly timestampMs: number
}

export type NotificationType =
  | 'STARTED'
  | 'IN_PROGRESS'
  | 'TABLE_SCAN_COMPLETED'
  | 'COMPLETED'
  | 'ABORTED'
  | 'SKIPPED'
  | 'PAUSED'
  | 'RESUMED'

const keySchema = Schema.struct([['id', Schemas.string]], {
  name: 'io.debezium.connector.common.NotificationKey',
  version: 1,
})
const valueSchema = Schema.struct(
  [
    ['id', Schemas.string],
    ['type', Schemas.string],
    ['aggregate_type', Schemas.string],
    ['additional_data', Schema.map(Schemas.string, Schemas.string, { optional: true })],
    ['timestamp', Schemas.int64],
  ],
  { name: 'io.debezium.connector.common.Notification', version: 1 },
)

export interface NotificationRecordsOptions {
  readonly partition: SourcePartition
  /** `notification.sink.topic.name` */
  readonly topic: string
}

/** Makes the records of the notification topic, in the form of Debezium 3.6. */
export class NotificationRecords {
  readonly #options: NotificationRecordsOptions

  constructor(options: NotificationRecordsOptions) {
    this.#options = options
  }

  record({ id, type, aggregateType, data, timestampMs }: Notification, offset: SourceOffset): SourceRecord {
    const { partition, topic } = this.#options
    return {
      sourcePartition: partition,
      sourceOffset: offset,
      topic,
      partition: 0,
      keySchema,
      key: new Struct(keySchema, [id]),
      valueSchema,
      value: new Struct(valueSchema, [id, type, aggregateType, data, timestampMs]),
      timestamp: null,
      headers: NO_HEADERS,
    }
  }
}
