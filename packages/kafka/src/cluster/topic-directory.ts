import { BackOff, StoppedError, toError } from '@tributary/support'
import type { Cluster } from './cluster.ts'
import type { MetadataQuery, TopicMetadata } from './metadata.ts'
import { Notifier } from './notifier.ts'

export interface TopicDirectoryOptions {
  readonly cluster: Cluster
  /** The leaders are as fresh as they get: look again at what waits for them. */
  readonly onRefresh: () => void
  /** Metadata cannot be had any more (a refusal): nothing that waits will go on. */
  readonly onFailure: (error: Error) => void
}

/** While leaders stay away the brokers are asked in these pauses. */
const REFRESH_PAUSES = { initialMs: 20, maxMs: 1000 } as const
/** Refreshes that are this far apart are no sign of trouble: the pauses begin again. */
const CALM_MS = 5000

/**
 * Who leads each partition of the topics that a client writes to. One loop keeps it fresh: by age, and at once when
 * somebody found a leader to be stale.
 */
export class TopicDirectory {
  readonly #options: TopicDirectoryOptions
  readonly #topics = new Map<string, TopicMetadata>()
  /** Topics for which somebody waits. */
  readonly #stale = new Set<string>()
  readonly #wanted = new Notifier()
  readonly #backOff = new BackOff(REFRESH_PAUSES)

  constructor(options: TopicDirectoryOptions) {
    this.#options = options
  }

  /** Takes a topic in, or newer knowledge of it. */
  set(topic: TopicMetadata): void {
    this.#topics.set(topic.name, topic)
  }

  get(name: string): TopicMetadata | null {
    return this.#topics.get(name) ?? null
  }

  /** Node id; -1 while nobody is known to lead the partition. */
  leaderOf(name: string, partition: number): number {
    return this.#topics.get(name)?.partitions[partition]?.leader ?? -1
  }

  /**
   * A leader is none, or there is none: ask soon. Cheap; many calls make one refresh. With a topic, records wait for it:
   * when it has vanished the broker is asked to create it again, as Java's producer does. Without, a broker is away.
   */
  requestRefresh(topic?: string): void {
    if (topic !== undefined) this.#stale.add(topic)
    this.#wanted.notify()
  }

  /** The owner loop; ends by the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, metadataMaxAgeMs } = this.#options.cluster.context
    let lastRefreshMs = clock.now()
    try {
      for (;;) {
        await this.#wanted.wait({ clock, timeoutMs: metadataMaxAgeMs, signal })
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
    // Nobody waits for the others: one of them that was deleted must not come back because it was asked for.
    const others = [...this.#topics.keys()].filter((name) => !stale.includes(name))
    await this.#ask({ topics: stale, createsMissing: true }, signal)
    await this.#ask({ topics: others, createsMissing: false }, signal)
  }

  async #ask(query: MetadataQuery & { readonly topics: readonly string[] }, signal: AbortSignal): Promise<void> {
    if (query.topics.length === 0) return
    const { cluster } = this.#options
    const metadata = await cluster.waitingOut('Kafka metadata', () => cluster.metadata(query, signal), signal)
    for (const topic of metadata.topics) {
      // A topic that is away for the moment keeps its last known leaders; they will say that it is gone.
      if (topic.partitions.length > 0) this.#topics.set(topic.name, topic)
    }
  }
}
