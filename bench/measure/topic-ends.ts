import { eventually, kafkaClient } from '@tributary/testkit'
import type { TopicReader } from '@tributary/kafka'
import { setTimeout as sleep } from 'node:timers/promises'

/** Asks the broker where topics end: while records come, so seldom that it costs nobody anything that counts. */
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

  /**
   * Waits until the topics hold that many records together. `everyMs`: between two looks when nothing has come yet, or the last records are about
   * to; in between it looks less often, since looking as often all the time took a tenth of a processor from who was measured.
   */
  async waitFor(
    count: number,
    options: { readonly everyMs?: number; readonly timeoutMs?: number } = {},
  ): Promise<void> {
    const pace = new Pace(await this.total())
    const isThere = async (): Promise<boolean> => {
      const total = await this.total()
      if (total >= count) return true
      await sleep(Math.min(PAUSE_MS_MAX, pace.restMs(total, count) * PAUSE_PART))
      return false
    }
    await eventually(`${count} records are in the topics`, isThere, { timeoutMs: TIMEOUT_MS, everyMs: 50, ...options })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const reader of this.#readers) await reader.close()
  }
}

/** How long the rest will take if it goes on as it does: by the faster of what has come since the beginning, and since the last look. */
class Pace {
  readonly #begin: { readonly total: number; readonly ms: number }
  #last: { readonly total: number; readonly ms: number }

  constructor(total: number) {
    this.#begin = { total, ms: performance.now() }
    this.#last = this.#begin
  }

  /** 0 while nothing has come. */
  restMs(total: number, count: number): number {
    const ms = performance.now()
    const perMs = [this.#begin, this.#last].map((then) => (total - then.total) / (ms - then.ms))
    this.#last = { total, ms }
    const fastest = Math.max(...perMs)
    return fastest > 0 ? (count - total) / fastest : 0
  }
}

/** Of the time that the rest will take. */
const PAUSE_PART = 0.25
const PAUSE_MS_MAX = 500

/** The largest load takes a minute on a machine that has nothing else to do. */
const TIMEOUT_MS = 1_200_000
