/** A header of a record; its value may be null. */
export interface RecordHeader {
  readonly key: Buffer
  readonly value: Buffer | null
}

/** The headers of a record as a batch contains them, one after the other: `buffer[0, end)`. `HeaderBlock` makes it. */
export interface HeaderRun {
  readonly count: number
  readonly buffer: Buffer
  /** As that of RecordPart. */
  readonly view?: DataView
  readonly end: number
  /** Copies, for tests. */
  list(): readonly RecordHeader[]
}

/**
 * Key or value of an outgoing record: the bytes of `prefix`, then `buffer[start, end)`.
 *
 * The prefix is shared by many records (the schema half of a JSON document). Records with the same prefix hold the same
 * object, which a batch recognises and writes as a match. `send` copies the rest: the caller may reuse the buffer at
 * once.
 */
export interface RecordPart {
  readonly prefix: Uint8Array
  readonly buffer: Buffer
  /** Of exactly the bytes of `buffer`: with it, short runs are copied eight bytes at a time, not one by one. */
  readonly view?: DataView
  readonly start: number
  readonly end: number
}

export interface OutgoingRecord {
  /** Null: a record without a key. */
  readonly key: RecordPart | null
  /** Null: a tombstone. */
  readonly value: RecordPart | null
  readonly headers: readonly RecordHeader[] | HeaderRun
  /**
   * Null: chosen as by Java's default partitioner: by murmur2 of the key, or any partition for a record without a key.
   */
  readonly partition: number | null
  /**
   * Milliseconds since 1970; null: the time of `send`. Brokers compute the age of a producer from it: records with a
   * timestamp of more than a day ago may be written twice, in order, when a broker restarts during a retry.
   */
  readonly timestamp: number | null
  /** Identifies the record in `onDelivered`; ascends in the order of `send`. */
  readonly token: number
}

/**
 * A record read from a topic. Key, value and headers are views of a whole Fetch response (about 1 MiB): copy them to
 * keep a few of many records.
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
