/** A header as it stands in a record: the value may be null. */
export interface RecordHeader {
  readonly key: Buffer
  readonly value: Buffer | null
}

/**
 * Key or value bytes of a record to be sent: `prefix` followed by `buffer[start, end)`.
 *
 * The prefix is a run that many records share (the schema half of a JSON document); the same run is the same object, so
 * that a compressed batch can refer back to it. The rest is copied by `send`: the buffer may be reused at once.
 */
export interface RecordPart {
  readonly prefix: Uint8Array
  readonly buffer: Buffer
  readonly start: number
  readonly end: number
}

export interface OutgoingRecord {
  /** Null: Kafka's null key. */
  readonly key: RecordPart | null
  /** Null: Kafka's null value, a tombstone. */
  readonly value: RecordPart | null
  readonly headers: readonly RecordHeader[]
  /** Null: chosen by the key as Java's default partitioner does (murmur2 of the key bytes), or any when there is no key. */
  readonly partition: number | null
  /**
   * Milliseconds since 1970; null: the time of sending. Brokers count the age of a producer by it: records that say they
   * are older than a day may come twice when a broker restarts while they are sent (their order holds).
   */
  readonly timestamp: number | null
  /** Names the record in `onDelivered`; numbers ascend in the order of `send`. */
  readonly token: number
}

/**
 * A record as it was read from a topic. Key, value and headers are views of the whole answer of a broker (about 1 MiB):
 * who keeps a few of many for long copies them.
 */
export interface LogRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly RecordHeader[]
}
