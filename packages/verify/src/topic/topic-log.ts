import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'

/**
 * The topic of a table. While it does not exist it is empty: a connector creates it with its first record, which may be
 * after the comparison has begun.
 */
export class TopicLog {
  readonly name: string
  readonly #kafka: Kafka

  constructor(kafka: Kafka, name: string) {
    this.name = name
    this.#kafka = kafka
  }

  /** Why records may be gone that no later record of their key replaced; null: they are not. */
  async loss(signal: AbortSignal): Promise<string | null> {
    await using admin = this.#kafka.admin()
    if ((await admin.describeTopic(this.name, signal)) === null) return null
    const settings = await admin.topicConfig(this.name, signal)
    await using reader = await this.#kafka.reader({ topic: this.name }, signal)
    return lossOf(
      settings,
      reader.partitions.map((each) => [each, reader.position(each)] as const),
    )
  }

  /** Current ends of the partitions. */
  async ends(signal: AbortSignal): Promise<ReadonlyMap<number, bigint>> {
    await using admin = this.#kafka.admin()
    if ((await admin.describeTopic(this.name, signal)) === null) return new Map()
    await using reader = await this.#kafka.reader({ topic: this.name }, signal)
    return await reader.endOffsets(signal)
  }

  /** Passes on the records from an offset of each partition to its end; from the first one without offsets. */
  async read(
    { from, ends, signal }: ReadOptions,
    onRecords: (records: readonly LogRecord[]) => Promise<void>,
  ): Promise<void> {
    if (ends.size === 0) return
    await using reader = await this.#kafka.reader({ topic: this.name, ...(from === null ? {} : { from }) }, signal)
    const isRead = (partition: number): boolean => reader.position(partition) >= (ends.get(partition) ?? 0n)
    while (!reader.partitions.every(isRead)) {
      const records = await reader.poll(signal)
      const wanted = records.filter(({ partition, offset }) => offset < (ends.get(partition) ?? 0n))
      if (wanted.length > 0) await onRecords(wanted)
    }
  }

  /** Reads single records. Records close to each other are read together. */
  async readAt(
    places: readonly RecordPlace[],
    signal: AbortSignal,
    onRecord: (record: LogRecord) => Promise<void>,
  ): Promise<void> {
    const byPartition = Map.groupBy(places, ({ partition }) => partition)
    for (const [partition, some] of byPartition) {
      const offsets = [...new Set(some.map(({ offset }) => offset))].toSorted((a, b) => a - b)
      await this.#readOffsets(partition, offsets, signal, onRecord)
    }
  }

  async #readOffsets(
    partition: number,
    offsets: readonly number[],
    signal: AbortSignal,
    onRecord: (record: LogRecord) => Promise<void>,
  ): Promise<void> {
    let next = 0
    while (next < offsets.length) {
      const from = new Map([[partition, BigInt(offsets[next] ?? 0)]])
      const options = { topic: this.name, partitions: [partition], from, fetchBytesMax: FETCH_BYTES }
      await using reader = await this.#kafka.reader(options, signal)
      next = await this.#collect(reader, { partition, offsets, next, signal }, onRecord)
    }
  }

  /** Reads on while the next offset is near. Returns the index of the next offset. */
  async #collect(
    reader: TopicReader,
    { partition, offsets, next: first, signal }: Collecting,
    onRecord: (record: LogRecord) => Promise<void>,
  ): Promise<number> {
    let next = first
    for (;;) {
      const position = Number(reader.position(partition))
      // Compaction may have removed a record meanwhile: a later one of its key replaces it.
      while (next < offsets.length && (offsets[next] ?? 0) < position) next += 1
      const wanted = offsets[next]
      if (wanted === undefined || wanted - position > NEAR_RECORDS) return next
      for (const record of await reader.poll(signal)) {
        const offset = Number(record.offset)
        while (next < offsets.length && (offsets[next] ?? 0) < offset) next += 1
        if (offsets[next] !== offset) continue
        await onRecord(record)
        next += 1
      }
    }
  }
}

export interface RecordPlace {
  readonly partition: number
  readonly offset: number
}

interface ReadOptions {
  readonly from: ReadonlyMap<number, bigint> | null
  readonly ends: ReadonlyMap<number, bigint>
  readonly signal: AbortSignal
}

interface Collecting {
  readonly partition: number
  readonly offsets: readonly number[]
  readonly next: number
  readonly signal: AbortSignal
}

const FETCH_BYTES = 64 * 1024
/** Reading so many records takes as long as opening a reader. */
const NEAR_RECORDS = 2_000

function lossOf(
  settings: ReadonlyMap<string, string | null>,
  starts: readonly (readonly [partition: number, offset: bigint])[],
): string | null {
  const policy = settings.get('cleanup.policy') ?? 'delete'
  if (!policy.split(',').some((each) => each.trim() === 'delete')) return null
  const [first] = starts.filter(([, offset]) => offset > 0n)
  if (first === undefined) return null
  const retention = `cleanup.policy=${policy}, retention.ms=${settings.get('retention.ms') ?? '?'}, retention.bytes=${settings.get('retention.bytes') ?? '?'}`
  return `the topic has deleted its oldest records (${retention}): partition ${first[0]} begins at offset ${first[1]}`
}
