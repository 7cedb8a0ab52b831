import type { Kafka } from '@tributary/kafka'
import { rehearseErrors } from '../errors.ts'

/** Reads what Kafka Connect keeps in its internal topics. */
export class StoredState {
  readonly #kafka: Kafka
  readonly #servers: string

  constructor(kafka: Kafka, servers: string) {
    this.#kafka = kafka
    this.#servers = servers
  }

  /** The configuration of a connector in a config topic, with its references; null: it has none. */
  async config(
    topic: string,
    connector: string,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>> | null> {
    const text = await this.#last(topic, `connector-${connector}`, signal)
    const document = text === null ? null : (JSON.parse(text) as { properties?: Record<string, string> } | null)
    return document?.properties ?? null
  }

  /** The offset of a connector in an offset topic; null: it has none. */
  async offset(
    topic: string,
    connector: string,
    partition: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> | null> {
    const text = await this.#last(topic, JSON.stringify([connector, partition]), signal)
    return text === null ? null : (JSON.parse(text) as Readonly<Record<string, unknown>> | null)
  }

  async #last(topic: string, key: string, signal: AbortSignal): Promise<string | null> {
    await using admin = this.#kafka.admin()
    if ((await admin.describeTopic(topic, signal)) === null) {
      throw rehearseErrors.REHEARSE_TOPIC_MISSING({ topic, servers: this.#servers })
    }
    await using reader = await this.#kafka.reader({ topic, from: 'earliest' }, signal)
    let last: string | null = null
    await reader.readToEnd((record) => {
      if (record.key?.toString() === key) last = record.value?.toString() ?? null
    }, signal)
    return last
  }
}
