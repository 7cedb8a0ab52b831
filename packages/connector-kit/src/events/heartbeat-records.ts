import {
  NO_HEADERS,
  Schema,
  Schemas,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  Struct,
} from '@tributary/connect-api'

const keySchema = Schema.struct([['serverName', Schemas.string]], {
  name: 'io.debezium.connector.common.ServerNameKey',
  version: 1,
})
const valueSchema = Schema.struct([['ts_ms', Schemas.int64]], {
  name: 'io.debezium.connector.common.Heartbeat',
  version: 1,
})

export interface HeartbeatRecordsOptions {
  readonly partition: SourcePartition
  readonly topic: string
  /** `topic.prefix` */
  readonly serverName: string
}

/** Makes the records of the heartbeat topic, in the form of Debezium 3.6. */
export class HeartbeatRecords {
  readonly #options: HeartbeatRecordsOptions
  readonly #key: Struct

  constructor(options: HeartbeatRecordsOptions) {
    this.#options = options
    this.#key = new Struct(keySchema, [options.serverName])
  }

  record(nowMs: number, offset: SourceOffset): SourceRecord {
    const { partition, topic } = this.#options
    return {
      sourcePartition: partition,
      sourceOffset: offset,
      topic,
      partition: 0,
      keySchema,
      key: this.#key,
      valueSchema,
      value: new Struct(valueSchema, [nowMs]),
      timestamp: null,
      headers: NO_HEADERS,
    }
  }
}
