import type { Kafka, TopicReader } from '@tributary/kafka'
import { eventually, kafkaClient, type Service } from '@tributary/testkit'

/** Kills the service at chosen moments, which it finds in the topics, and restarts it. */
export class Killer {
  readonly #service: Service
  readonly #kafka: Promise<Kafka>
  readonly #readers = new Map<string, TopicReader>()
  kills = 0

  constructor(service: Service, bootstrapServers: readonly string[]) {
    this.#service = service
    this.#kafka = kafkaClient(bootstrapServers)
  }

  /** Number of records in a topic, from its end offsets. */
  async size(topic: string): Promise<number> {
    let reader = this.#readers.get(topic)
    if (reader === undefined) {
      reader = await (await this.#kafka).reader({ topic, from: 'latest' })
      this.#readers.set(topic, reader)
    }
    const ends = await reader.endOffsets()
    return [...ends.values()].reduce((sum, end) => sum + Number(end), 0)
  }

  /** Kills when the topic has grown by that many records since `from`. */
  async whenGrown(topic: string, from: number, by: number): Promise<void> {
    const isReached = async (): Promise<boolean> => (await this.size(topic)) >= from + by
    await eventually(`${topic} has grown by ${by}`, isReached, { timeoutMs: 120_000, everyMs: 1 })
    await this.now()
  }

  async now(): Promise<void> {
    await this.#service.kill()
    this.kills += 1
    await this.#service.start()
  }

  async close(): Promise<void> {
    for (const reader of this.#readers.values()) await reader.close()
  }
}
