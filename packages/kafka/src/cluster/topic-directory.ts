import { BackOff, StoppedError, toError } from '@tributary/support'
import type { Cluster } from './cluster.ts'
import type { MetadataQuery, TopicMetadata } from './metadata.ts'
import { Notifier } from './notifier.ts'

export interface TopicDirectoryOptions {
  readonly cluster: Cluster
  /** The leaders are up to date: check the partitions that wait for one. */
  readonly onRefresh: () => void
  /** Requests for metadata fail with an error that is not retriable: waiting partitions will not get a leader. */
  readonly onFailure: (error: Error) => void
}

/** Pauses between refreshes while partitions have no leader. */
const REFRESH_PAUSES = { initialMs: 20, maxMs: 1000 } as const
/** Refreshes that are further apart than this belong to different outages: the pauses start again. */
const CALM_MS = 5000

/**
 * The leaders of all partitions that a client writes to. One loop refreshes them: by age, and at once after
 * `requestRefresh`.
 */
export class TopicDirectory {
  readonly #options: TopicDirectoryOptions
  readonly #topics = new Map<string, TopicMetadata>()
  /** Topics with records that wait for a leader. */
  readonly #stale = new Set<string>()
  readonly #refreshRequested = new Notifier()
  readonly #backOff = new BackOff(REFRESH_PAUSES)

  constructor(options: TopicDirectoryOptions) {
    this.#options = options
  }

  /** Adds a topic or replaces its metadata. */
  set(topic: TopicMetadata): void {
    this.#topics.set(topic.name, topic)
  }

  get(name: string): TopicMetadata | null {
    return this.#topics.get(name) ?? null
  }

  /** Node id; -1 while the partition has no known leader. */
  leaderOf(name: string, partition: number): number {
    return this.#topics.get(name)?.partitions[partition]?.leader ?? -1
  }

  /**
   * The known leader is stale, or the partition has none: refresh metadata soon. Cheap; many calls cause one refresh.
   * With a topic, records wait for it: the brokers are asked to create it again if it was deleted, as Java's producer
   * does. Without one, a broker is unreachable.
   */
  requestRefresh(topic?: string): void {
    if (topic !== undefined) this.#stale.add(topic)
    this.#refreshRequested.notify()
  }

  /** The owner loop; ends when the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, metadataMaxAgeMs } = this.#options.cluster.context
    let lastRefreshMs = clock.now()
    try {
      for (;;) {
        await this.#refreshRequested.wait({ clock, timeoutMs: metadataMaxAgeMs, signal })
        if (clock.now() - lastRefreshMs > CALM_MS) this.#backOff.reset()
        await clock.sleep(this.#backOff.next(), signal)
        await this.#refresh(signal)
        lastRefreshMs = clock.now()
        this.#options.onRefresh()
      }
    } catch (thrown) {
      if (!(thrown instanceof StoppedError)) this.#options.onFailure(toError(thrown))
    }
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const stale = [...this.#stale]
    this.#stale.clear()
    // No records wait for the others: a deleted one must not be created again by this request.
    const others = [...this.#topics.keys()].filter((name) => !stale.includes(name))
    await this.#request({ topics: stale, createsMissing: true }, signal)
    await this.#request({ topics: others, createsMissing: false }, signal)
  }

  async #request(query: MetadataQuery & { readonly topics: readonly string[] }, signal: AbortSignal): Promise<void> {
    if (query.topics.length === 0) return
    const { cluster } = this.#options
    const metadata = await cluster.retrying('requesting topic metadata', () => cluster.metadata(query, signal), signal)
    for (const topic of metadata.topics) {
      // A topic that is missing at the moment keeps its known leaders; they answer if it was deleted.
      if (topic.partitions.length > 0) this.#topics.set(topic.name, topic)
    }
  }
}
