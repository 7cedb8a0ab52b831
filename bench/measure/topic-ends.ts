import { eventually } from '@tributary/testkit'
import { Admin } from '@platformatic/kafka'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks the broker where topics end, all of them together (a question for their leaders, and one for where they end); while records come, so
 * seldom that it costs nobody anything that counts.
 */
export class TopicEnds implements AsyncDisposable {
  readonly #topics: readonly string[]
  readonly #admin: Admin
  /** Those that exist. */
  readonly #found: Map<string, TopicPartitions> = new Map()

  constructor(bootstrapServers: readonly string[], topics: readonly string[]) {
    this.#topics = [...new Set(topics)]
    this.#admin = new Admin({ clientId: 'topic-ends', bootstrapBrokers: [...bootstrapServers], ...RETRIES })
  }

  /** Records in all the topics together; those of topics that do not exist yet count nothing. */
  async total(): Promise<number> {
    await this.#find()
    if (this.#found.size === 0) return 0
    let total = 0n
    for (const { partitions } of await this.#admin.listOffsets({ topics: [...this.#found.values()] })) {
      for (const { offset } of partitions) total += offset
    }
    return Number(total)
  }

  async #find(): Promise<void> {
    if (this.#found.size === this.#topics.length) return
    const there = new Set(await this.#admin.listTopics())
    const added = this.#topics.filter((name) => there.has(name) && !this.#found.has(name))
    if (added.length === 0) return
    const { topics } = await this.#admin.metadata({ topics: added, forceUpdate: true })
    for (const [name, { partitionsCount }] of topics) {
      const partitions = Array.from({ length: partitionsCount }, (_, partitionIndex) => ({
        partitionIndex,
        timestamp: LATEST,
      }))
      this.#found.set(name, { name, partitions })
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
    let pace: Pace | null = null
    const isThere = async (): Promise<boolean> => {
      const total = await this.total()
      pace ??= new Pace(total)
      if (total >= count) return true
      await sleep(Math.min(PAUSE_MS_MAX, pace.restMs(total, count) * PAUSE_PART))
      return false
    }
    await eventually(`${count} records are in the topics`, isThere, { timeoutMs: TIMEOUT_MS, everyMs: 50, ...options })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#admin.close()
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

interface TopicPartitions {
  readonly name: string
  readonly partitions: { partitionIndex: number; timestamp: bigint }[]
}

/** A topic that has just been made has no leader for some milliseconds; the library would wait a second for it. */
const RETRIES = { retries: 20, retryDelay: 10 } as const

/** What ListOffsets takes instead of a time. */
const LATEST = -1n
