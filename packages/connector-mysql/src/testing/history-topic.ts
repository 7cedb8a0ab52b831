import { eventually, kafkaClient, readTopic, useKafka } from '@tributary/testkit'
import { Kafka, logLevel } from 'kafkajs'

/** The topic of a schema history, as an operator, or an accident, treats it. */
export class HistoryTopic {
  readonly topic: string
  readonly #servers: readonly string[]

  private constructor(topic: string, servers: readonly string[]) {
    this.topic = topic
    this.#servers = servers
  }

  static async of(config: Readonly<Record<string, string>>): Promise<HistoryTopic> {
    const { bootstrapServers } = await useKafka()
    return new HistoryTopic(config['schema.history.internal.kafka.topic'] ?? '', bootstrapServers)
  }

  async values(): Promise<readonly string[]> {
    return (await readTopic(this.#servers, this.topic)).map(({ value }) => String(value))
  }

  async delete(topic: string = this.topic): Promise<void> {
    await using admin = (await kafkaClient(this.#servers)).admin()
    await admin.deleteTopic(topic)
    await eventually(`${topic} is gone`, async () => (await admin.describeTopic(topic)) === null)
  }

  /** Deletes the topic and creates it again, with these values. */
  async replace(values: readonly string[]): Promise<void> {
    await this.delete()
    await using admin = (await kafkaClient(this.#servers)).admin()
    await admin.createTopic({ name: this.topic, partitions: 1, replicationFactor: 1 })
    await this.append(values)
  }

  async append(values: readonly string[]): Promise<void> {
    await using producer = await (await kafkaClient(this.#servers)).producer({ onDelivered: () => undefined })
    const target = await producer.topic(this.topic)
    for (const [token, value] of values.entries()) {
      const buffer = Buffer.from(value)
      const part = { prefix: new Uint8Array(0), buffer, start: 0, end: buffer.length }
      target.send({ key: null, value: part, headers: [], partition: 0, timestamp: null, token })
    }
    await producer.flush()
  }

  /** Deletes the records before an offset, as retention does; -1: all. */
  async truncate(offset: number): Promise<void> {
    const admin = new Kafka({ brokers: [...this.#servers], logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    try {
      // deleteTopicRecords needs the metadata of the topic, which this loads.
      await admin.fetchTopicOffsets(this.topic)
      await admin.deleteTopicRecords({ topic: this.topic, partitions: [{ partition: 0, offset: String(offset) }] })
    } finally {
      await admin.disconnect()
    }
  }
}
