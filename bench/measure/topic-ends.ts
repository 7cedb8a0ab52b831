import { eventually } from '@tributary/testkit'
import { Admin } from '@platformatic/kafka'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Requests the end offsets of topics, of all topics in one request. While records arrive, it waits between requests, so
 * that polling does not affect the measurement.
 */
export class TopicEnds implements AsyncDisposable {
  readonly #topics: readonly string[]
  readonly #admin: Admin
  /** The topics that exist. */
  readonly #found: Map<string, TopicPartitions> = new Map()

  constructor(bootstrapServers: readonly string[], topics: readonly string[]) {
    this.#topics = [...new Set(topics)]
    this.#admin = new Admin({ clientId: 'topic-ends', bootstrapBrokers: [...bootstrapServers], ...RETRIES })
  }

  /** Returns the number of records in all topics. A topic that does not exist yet counts as empty. */
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
   * Waits until the topics contain the given number of records. `everyMs`: interval of the requests before the first
   * record and close to the last one. In between, requests are less frequent, because this interval would use a tenth
   * of a processor.
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

/**
 * Estimates how long the remaining records will take, by the faster of two rates: since the beginning, and since the
 * last request.
 */
class Pace {
  readonly #begin: { readonly total: number; readonly ms: number }
  #last: { readonly total: number; readonly ms: number }

  constructor(total: number) {
    this.#begin = { total, ms: performance.now() }
    this.#last = this.#begin
  }

  /** Returns 0 while no record has arrived. */
  restMs(total: number, count: number): number {
    const ms = performance.now()
    const perMs = [this.#begin, this.#last].map((then) => (total - then.total) / (ms - then.ms))
    this.#last = { total, ms }
    const fastest = Math.max(...perMs)
    return fastest > 0 ? (count - total) / fastest : 0
  }
}

/** Part of the estimated remaining time. */
const PAUSE_PART = 0.25
const PAUSE_MS_MAX = 500

/** The largest load takes a minute on an idle machine. */
const TIMEOUT_MS = 1_200_000

interface TopicPartitions {
  readonly name: string
  readonly partitions: { partitionIndex: number; timestamp: bigint }[]
}

/** A new topic has no leader for some milliseconds; by default, the library would wait a second before it retries. */
const RETRIES = { retries: 20, retryDelay: 10 } as const

/** The timestamp with which ListOffsets returns the end offset. */
const LATEST = -1n
