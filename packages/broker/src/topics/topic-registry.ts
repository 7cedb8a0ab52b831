import { present } from '@tributary/support'
import type { BrokerStorage } from '../storage/broker-storage.ts'
import { PartitionLog } from '../log/partition-log.ts'
import { TopicConfig } from './topic-config.ts'

export interface Topic {
  readonly name: string
  /** A UUID in base64url. */
  readonly id: string
  readonly partitions: PartitionLog[]
  config: TopicConfig
}

/** Why a name is not one of a topic; null: it is. The texts are those of Kafka. */
export function problemOfName(name: string): string | null {
  if (name === '') return 'Topic name is invalid: the empty string is not allowed'
  if (name === '.' || name === '..') return `Topic name is invalid: '.' or '..' is not allowed`
  if (name.length > TOPIC_NAME_LENGTH_MAX) {
    return `Topic name is invalid: the length of '${name}' is longer than the max allowed length ${TOPIC_NAME_LENGTH_MAX}`
  }
  if (/^[a-zA-Z0-9._-]+$/.test(name)) return null
  return `Topic name is invalid: '${name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'`
}

const TOPIC_NAME_LENGTH_MAX = 249

/** The topics, by name and by id. Every change is in the journal before it is visible. */
export class TopicRegistry {
  readonly #storage: BrokerStorage
  readonly #byName = new Map<string, Topic>()
  readonly #byId = new Map<string, Topic>()

  constructor(storage: BrokerStorage) {
    this.#storage = storage
  }

  get all(): Iterable<Topic> {
    return this.#byName.values()
  }

  get(name: string): Topic | undefined {
    return this.#byName.get(name)
  }

  byId(id: string): Topic | undefined {
    return this.#byId.get(id)
  }

  /** The log of a partition; undefined: no such topic or partition. */
  log(topic: string, partition: number): PartitionLog | undefined {
    return this.#byName.get(topic)?.partitions[partition]
  }

  /** Another topic whose name collides in metrics, where '.' and '_' are the same. */
  collision(name: string): string | undefined {
    const key = name.replaceAll('.', '_')
    for (const other of this.#byName.keys()) if (other !== name && other.replaceAll('.', '_') === key) return other
    return undefined
  }

  create(
    topic: { readonly name: string; readonly id: string; readonly configs: Readonly<Record<string, string>> },
    partitions: number,
    nowMs: number,
  ): Topic {
    const { name, id, configs } = topic
    this.#storage.append({ tag: 'topic', name, id, partitions, configs })
    return this.restore(topic, partitions, nowMs)
  }

  /** Adds a topic that the journal has; or more partitions or other settings of a known one. */
  restore(
    topic: { readonly name: string; readonly id: string; readonly configs: Readonly<Record<string, string>> },
    partitions: number,
    nowMs: number,
  ): Topic {
    const { name, id, configs } = topic
    const known = this.#byId.get(id) ?? { name, id, partitions: [], config: new TopicConfig(configs) }
    known.config = new TopicConfig(configs)
    for (let i = known.partitions.length; i < partitions; i++) {
      known.partitions.push(new PartitionLog(this.#storage.partition(id, i), nowMs))
    }
    this.#byName.set(name, known)
    this.#byId.set(id, known)
    return known
  }

  addPartitions(topic: Topic, partitions: number, nowMs: number): void {
    this.create({ ...topic, configs: topic.config.overrides }, partitions, nowMs)
  }

  setConfig(topic: Topic, configs: Readonly<Record<string, string>>, nowMs: number): void {
    this.create({ ...topic, configs }, topic.partitions.length, nowMs)
  }

  /** Appends a checked batch to a partition that exists and returns its base offset. Throws the error of the storage. */
  append({ config, partitions }: Topic, partition: number, batch: Buffer, nowMs: number): number {
    const log = present(partitions[partition], 'the partition of a batch')
    log.rollIfDue(batch, { segmentBytes: config.limit('segment.bytes'), segmentMs: config.limit('segment.ms') }, nowMs)
    return log.append(batch, nowMs)
  }

  /** Records before `offset` are deleted. */
  deleteRecords(topic: Topic, partition: number, offset: number): void {
    this.#storage.append({ tag: 'log start', id: topic.id, partition, offset })
    topic.partitions[partition]?.deleteBefore(offset)
  }

  delete(topic: Topic): void {
    this.#storage.append({ tag: 'topic deleted', id: topic.id })
    this.#storage.deleteTopic(topic.id)
    this.forget(topic.id)
  }

  forget(id: string): void {
    const topic = this.#byId.get(id)
    if (topic === undefined) return
    this.#byId.delete(id)
    this.#byName.delete(topic.name)
  }
}
