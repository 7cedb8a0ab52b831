import type { ProducerTopic } from '../api/producer.ts'
import type { OutgoingRecord } from '../api/records.ts'
import { kafkaErrors } from '../api/errors.ts'
import { partitionForPart } from '../protocol/murmur2.ts'
import type { Partition, TopicLimits } from './partition.ts'

export interface KnownTopicOptions {
  readonly name: string
  readonly partitionCount: number
  readonly limits: TopicLimits
  readonly createPartition: (index: number) => Partition
  /** Appends the record to the partition; throws when the producer has ended. */
  readonly append: (partition: Partition, record: OutgoingRecord) => void
  /** See `ProducerTopic.offer`. */
  readonly offer: (partition: Partition, record: OutgoingRecord, signal?: AbortSignal) => Promise<void>
}

/** A topic of the producer: chooses the partition of each record. */
export class KnownTopic implements ProducerTopic {
  readonly name: string
  readonly limits: TopicLimits
  partitionCount: number
  readonly #options: KnownTopicOptions
  readonly #partitions: Partition[] = []
  /** The partition of records without a key, until its batch is sealed (KIP-480): batches are fewer and larger. */
  #keyless = 0
  #keylessSealedCount = 0

  constructor(options: KnownTopicOptions) {
    this.#options = options
    this.name = options.name
    this.limits = options.limits
    this.partitionCount = options.partitionCount
  }

  send(record: OutgoingRecord): void {
    const index = record.partition ?? this.#choose(record)
    const partition = this.#partitions[index] ?? this.#create(index)
    this.#options.append(partition, record)
  }

  async offer(record: OutgoingRecord, signal?: AbortSignal): Promise<void> {
    const index = record.partition ?? this.#choose(record)
    return this.#options.offer(this.#partitions[index] ?? this.#create(index), record, signal)
  }

  #choose(record: OutgoingRecord): number {
    if (this.partitionCount === 1) return 0
    if (record.key !== null) return partitionForPart(record.key, this.partitionCount)
    const partition = this.#partitions[this.#keyless]
    if (partition !== undefined && partition.sealedCount !== this.#keylessSealedCount) {
      this.#keyless = (this.#keyless + 1) % this.partitionCount
      this.#keylessSealedCount = this.#partitions[this.#keyless]?.sealedCount ?? 0
    }
    return this.#keyless
  }

  #create(index: number): Partition {
    if (!Number.isInteger(index) || index < 0 || index >= this.partitionCount) {
      throw kafkaErrors.UNKNOWN_PARTITION({ topic: this.name, count: this.partitionCount, partition: index })
    }
    // Filled without holes: reading an array that once had holes stays slow.
    for (let i = this.#partitions.length; i <= index; i++) this.#partitions.push(this.#options.createPartition(i))
    const partition = this.#partitions[index]
    if (partition === undefined)
      throw kafkaErrors.UNKNOWN_PARTITION({ topic: this.name, count: index, partition: index })
    return partition
  }
}
