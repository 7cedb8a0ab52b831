import type { Kafka, LogRecord } from '@tributary/kafka'
import { type Clock, StoppedError, toError } from '@tributary/support'
import { type IsEarly, startOffsets } from './topic-start.ts'

export interface TopicFollowersOptions {
  readonly kafka: Kafka
  readonly isEarly: IsEarly
  readonly onRecords: (records: readonly LogRecord[]) => Promise<void>
  readonly clock: Clock
}

/** Reads the topics that a connector writes, each from before the offset of the rehearsal on, without a group. */
export class TopicFollowers implements AsyncDisposable {
  readonly #options: TopicFollowersOptions
  readonly #stop = new AbortController()
  readonly #partitions = new Map<string, number>()
  readonly #followers = new Map<string, Promise<void>>()
  /** Topics that are read at the end: each reader has connections of its own. */
  readonly #later = new Set<string>()
  #failure: Error | null = null
  #received = 0
  /** Of topics that are followed: the offset after the last record of a partition that was taken. */
  readonly #positions = new Map<string, ReadonlyMap<number, bigint>>()

  constructor(options: TopicFollowersOptions) {
    this.#options = options
  }

  partitionsOf(topic: string): number | null {
    return this.#partitions.get(topic) ?? null
  }

  /** Records so far. */
  get received(): number {
    return this.#received
  }

  /** @throws the error that has ended a follower */
  throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure
  }

  /** Follows a topic from now on; one that does not exist yet, as soon as it does. */
  follow(topic: string): void {
    if (this.#followers.has(topic) || this.#later.has(topic)) return
    if (this.#followers.size >= FOLLOWERS_MAX) {
      this.#later.add(topic)
      return
    }
    this.#followers.set(
      topic,
      this.#run(topic).catch((error: unknown) => {
        if (!(error instanceof StoppedError)) this.#failure ??= toError(error)
      }),
    )
  }

  async #run(topic: string): Promise<void> {
    const { signal } = this.#stop
    await this.#exists(topic)
    const { kafka, isEarly } = this.#options
    const from = await startOffsets({ kafka, topic, isEarly }, signal)
    await using reader = await kafka.reader({ topic, from }, signal)
    for (;;) {
      await this.#take(await reader.poll(signal))
      this.#positions.set(topic, new Map(reader.partitions.map((each) => [each, reader.position(each)])))
    }
  }

  async #exists(topic: string): Promise<void> {
    const { signal } = this.#stop
    await using admin = this.#options.kafka.admin()
    for (;;) {
      const description = await admin.describeTopic(topic, signal)
      if (description !== null) {
        this.#partitions.set(topic, description.partitions.length)
        return
      }
      await this.#options.clock.sleep(POLL_MS, signal)
    }
  }

  async #take(records: readonly LogRecord[]): Promise<void> {
    if (records.length === 0) return
    this.#received += records.length
    await this.#options.onRecords(records)
  }

  /** Reads topics once up to their present ends, also those of the beginning that could not be followed. */
  async readOnce(topics: readonly string[], signal: AbortSignal): Promise<void> {
    const { kafka, isEarly } = this.#options
    await using admin = kafka.admin()
    for (const topic of new Set([...this.#later, ...topics])) {
      if (this.#followers.has(topic)) continue
      const description = await admin.describeTopic(topic, signal)
      if (description === null) continue
      this.#partitions.set(topic, description.partitions.length)
      const from = await startOffsets({ kafka, topic, isEarly }, signal)
      await using reader = await kafka.reader({ topic, from }, signal)
      const ends = await reader.endOffsets(signal)
      const isRead = (partition: number): boolean => reader.position(partition) >= (ends.get(partition) ?? 0n)
      while (!reader.partitions.every(isRead)) await this.#take(await reader.poll(signal))
    }
  }

  /** Waits until the followed topics are read up to their present ends. */
  async catchUp(signal: AbortSignal): Promise<void> {
    const { kafka, clock } = this.#options
    for (const topic of this.#followers.keys()) {
      if (!this.#partitions.has(topic)) continue
      await using reader = await kafka.reader({ topic }, signal)
      const ends = await reader.endOffsets(signal)
      const isRead = (): boolean =>
        [...ends].every(([partition, end]) => (this.#positions.get(topic)?.get(partition) ?? -1n) >= end)
      while (!isRead()) {
        this.throwIfFailed()
        await clock.sleep(POLL_MS, signal)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#followers.values())
  }
}

const POLL_MS = 200
/** Connectors of more topics are rare, and each reader has a connection to each broker. */
const FOLLOWERS_MAX = 100
