import { eventually, kafkaClient } from '@tributary/testkit'
import type { TopicReader } from '@tributary/kafka'

/** Asks the broker where topics end: that costs nobody anything that counts. */
export class TopicEnds implements AsyncDisposable {
  readonly #bootstrapServers: readonly string[]
  readonly #topics: readonly string[]
  readonly #readers: TopicReader[] = []

  constructor(bootstrapServers: readonly string[], topics: readonly string[]) {
    this.#bootstrapServers = bootstrapServers
    this.#topics = topics
  }

  /** Records in all the topics together; those of topics that do not exist yet count nothing. */
  async total(): Promise<number> {
    await this.#open()
    let total = 0n
    for (const reader of this.#readers) {
      const ends = await reader.endOffsets()
      for (const end of ends.values()) total += end
    }
    return Number(total)
  }

  async #open(): Promise<void> {
    if (this.#readers.length === this.#topics.length) return
    const kafka = kafkaClient(this.#bootstrapServers)
    await using admin = kafka.admin()
    const known = new Set(this.#readers.map(({ topic }) => topic))
    for (const topic of this.#topics) {
      if (known.has(topic) || (await admin.describeTopic(topic)) === null) continue
      this.#readers.push(await kafka.reader({ topic, from: 'latest' }))
    }
  }

  /** Waits until the topics hold that many records together. */
  async waitFor(
    count: number,
    options: { readonly everyMs?: number; readonly timeoutMs?: number } = {},
  ): Promise<void> {
    const isThere = async (): Promise<boolean> => (await this.total()) >= count
    await eventually(`${count} records are in the topics`, isThere, { timeoutMs: TIMEOUT_MS, everyMs: 50, ...options })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const reader of this.#readers) await reader.close()
  }
}

/** The largest load takes a minute on a machine that has nothing else to do. */
const TIMEOUT_MS = 1_200_000
