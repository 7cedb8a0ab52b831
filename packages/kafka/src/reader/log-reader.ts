import { BackOff, isRetriable, Outage, StoppedError, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { LogRecord } from '../api/records.ts'
import type { TopicReader, TopicReaderOptions } from '../api/topic-reader.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import { Notifier } from '../cluster/notifier.ts'
import { checkResponse } from '../cluster/response-check.ts'
import type { TopicMetadata } from '../cluster/metadata.ts'
import { lookUpTopic } from '../cluster/topic-lookup.ts'
import { TopicRequests } from '../cluster/topic-requests.ts'
import { ErrorCode, errorName } from '../protocol/broker-error.ts'
import type { FetchResponse, FetchedPartition } from '../protocol/fetch.ts'
import { fetchOnce } from './fetch-once.ts'
import { selectRecords } from './fetched-records.ts'
import { EARLIEST, LATEST, leadersOf, listOffsets } from './list-offsets.ts'

const FETCH_BYTES_MAX = 2 ** 20
const POLL_WAIT_MS = 500
/** How long a broker may wait before it sends an empty Fetch response. */
const FETCH_WAIT_MS = 500
/** Not every broker knows a new topic at once. */
const MISSING_TOPIC_WAIT_MS = 3000
const RETRY_PAUSES = { initialMs: 20, maxMs: 2000 } as const

/**
 * Opens a reader at its start offsets. Retries while brokers are unreachable; rejects with UNKNOWN_TOPIC or
 * UNKNOWN_PARTITION.
 */
export async function openLogReader(
  context: ClusterContext,
  options: TopicReaderOptions,
  signal?: AbortSignal,
): Promise<TopicReader> {
  const { topic, from = 'earliest', isolation = 'committed' } = options
  const cluster = new Cluster(context)
  try {
    const lookup = { missingTopicWaitMs: MISSING_TOPIC_WAIT_MS, signal }
    const metadata = await lookUpTopic(new TopicRequests(cluster, false), topic, lookup)
    const count = metadata.partitions.length
    const partitions = options.partitions ?? metadata.partitions.map(({ index }) => index)
    for (const partition of partitions) {
      if (partition < 0 || partition >= count) throw kafkaErrors.UNKNOWN_PARTITION({ topic, count, partition })
    }
    const timestamp = from === 'latest' ? LATEST : EARLIEST
    const leaders = leadersOf(metadata.partitions.filter(({ index }) => partitions.includes(index)))
    const query = { topic, partitions, timestamp, isCommittedOnly: isolation === 'committed', leaders }
    const starts = new Map(await listOffsets(cluster, query, signal))
    if (typeof from !== 'string')
      for (const partition of partitions) starts.set(partition, from.get(partition) ?? starts.get(partition) ?? 0n)
    return new LogReader(cluster, options, starts, leaders)
  } catch (thrown) {
    await cluster.close()
    throw thrown
  }
}

/**
 * Fetches run in the background, at most one for each broker, and only while no fetched records wait for `poll`: so
 * memory is bounded by one response of each broker. `poll` starts fetches and waits for the first response that moves
 * the position.
 */
class LogReader implements TopicReader {
  readonly topic: string
  readonly partitions: readonly number[]
  readonly #cluster: Cluster
  readonly #options: TopicReaderOptions
  readonly #isCommittedOnly: boolean
  readonly #stop = new AbortController()
  readonly #progress = new Notifier()
  readonly #outage: Outage
  readonly #leaderOutage: Outage
  readonly #backOff = new BackOff(RETRY_PAUSES)
  readonly #tasks = new Set<Promise<void>>()
  /** The offset after the last returned record, by partition. */
  readonly #positions: Map<number, bigint>
  /** The offset of the next fetch, by partition. */
  readonly #fetchOffsets: Map<number, bigint>
  readonly #fetching = new Set<number>()
  #fetched: LogRecord[] = []
  /** A fetch has advanced an offset since the last poll. */
  #hasMoved = false
  /** Null: unknown. */
  #leaders: ReadonlyMap<number, number> | null
  #isLookingUp = false
  #failure: Error | null = null

  constructor(
    cluster: Cluster,
    options: TopicReaderOptions,
    starts: ReadonlyMap<number, bigint>,
    leaders: ReadonlyMap<number, number>,
  ) {
    const { logger, clock } = cluster.context
    this.#cluster = cluster
    this.#options = options
    this.#isCommittedOnly = options.isolation !== 'uncommitted'
    this.#positions = new Map(starts)
    this.#fetchOffsets = new Map(starts)
    this.#leaders = leaders
    this.#outage = new Outage(logger, clock, `reading topic ${options.topic}`, RETRY_PAUSES.maxMs)
    this.#leaderOutage = new Outage(logger, clock, `looking up leaders of topic ${options.topic}`, RETRY_PAUSES.maxMs)
    this.topic = options.topic
    this.partitions = [...starts.keys()]
  }

  position(partition: number): bigint {
    const position = this.#positions.get(partition)
    if (position === undefined) {
      throw kafkaErrors.UNKNOWN_PARTITION({ topic: this.topic, count: this.partitions.length, partition })
    }
    return position
  }

  endOffsets(
    signal?: AbortSignal,
    end: TopicReaderOptions['end'] = this.#options.end,
  ): Promise<ReadonlyMap<number, bigint>> {
    const { topic, partitions } = this
    const leaders = this.#leaders
    const isCommittedOnly = this.#isCommittedOnly && end !== 'written'
    const query = { topic, partitions, timestamp: LATEST, isCommittedOnly, leaders }
    return listOffsets(this.#cluster, query, signal)
  }

  async poll(signal?: AbortSignal): Promise<readonly LogRecord[]> {
    const { clock } = this.#cluster.context
    const untilMs = clock.monotonicMs() + (this.#options.pollWaitMs ?? POLL_WAIT_MS)
    for (;;) {
      if (this.#failure !== null) throw this.#failure
      if (this.#stop.signal.aborted) throw new StoppedError()
      if (this.#fetched.length > 0 || this.#hasMoved) break
      this.#startFetches()
      const timeoutMs = untilMs - clock.monotonicMs()
      if (timeoutMs <= 0) break
      await this.#progress.wait({ clock, timeoutMs, signal })
    }
    const records = this.#fetched
    this.#fetched = []
    this.#hasMoved = false
    for (const [partition, offset] of this.#fetchOffsets) this.#positions.set(partition, offset)
    this.#startFetches()
    return records
  }

  async readToEnd(onRecord: (record: LogRecord) => void, signal?: AbortSignal): Promise<void> {
    const ends = await this.endOffsets(signal)
    while (this.partitions.some((partition) => this.position(partition) < (ends.get(partition) ?? 0n))) {
      for (const record of await this.poll(signal)) onRecord(record)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#outage.giveUp()
    this.#leaderOutage.giveUp()
    this.#progress.notify()
    await this.#cluster.close()
    await Promise.all(this.#tasks)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #startFetches(): void {
    if (this.#fetched.length > 0 || this.#failure !== null || this.#stop.signal.aborted) return
    if (this.#leaders === null) {
      if (!this.#isLookingUp) this.#background(() => this.#lookUpLeaders())
      return
    }
    const byLeader = new Map<number, number[]>()
    for (const [partition, leader] of this.#leaders) {
      if (this.#fetching.has(partition)) continue
      const partitions = byLeader.get(leader) ?? []
      byLeader.set(leader, partitions)
      partitions.push(partition)
    }
    for (const [leader, partitions] of byLeader) this.#background(() => this.#fetch(leader, partitions))
  }

  /** Repeats the look-up until each partition has a leader. Partitions that have one are read meanwhile. */
  async #lookUpLeaders(): Promise<void> {
    this.#isLookingUp = true
    const { clock } = this.#cluster.context
    const { signal } = this.#stop
    const pauses = new BackOff(RETRY_PAUSES)
    try {
      for (;;) {
        const topic = await this.#metadata()
        this.#leaders = leadersOf(topic.partitions.filter(({ index }) => this.#positions.has(index)))
        this.#progress.notify()
        if (this.#leaders.size === this.partitions.length) break
        this.#leaderOutage.reportFailure(
          kafkaErrors.TOPIC_NOT_READY({ topic: this.topic, error: errorName(topic.errorCode) }),
        )
        await clock.sleep(pauses.next(), signal)
      }
      this.#leaderOutage.reportSuccess()
    } finally {
      this.#isLookingUp = false
    }
  }

  async #metadata(): Promise<TopicMetadata> {
    const { signal } = this.#stop
    const query = { topics: [this.topic], createsMissing: false }
    const { topics } = await this.#cluster.retrying(
      `looking up topic ${this.topic}`,
      () => this.#cluster.metadata(query),
      signal,
    )
    const [topic] = topics
    if (topic !== undefined && topic.partitions.length > 0) return topic
    // The topic was deleted, or a broker that has just started does not know it yet.
    const requests = new TopicRequests(this.#cluster, false)
    return lookUpTopic(requests, this.topic, { missingTopicWaitMs: MISSING_TOPIC_WAIT_MS, signal })
  }

  async #fetch(leader: number, partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) this.#fetching.add(partition)
    try {
      const response = await this.#request(leader, partitions)
      checkResponse({ request: 'Fetch', subject: `topic ${this.topic}`, errorCode: response.errorCode })
      for (const fetched of response.partitions) await this.#add(fetched)
      this.#outage.reportSuccess()
      this.#backOff.reset()
    } catch (thrown) {
      if (!isRetriable(thrown) || this.#stop.signal.aborted) throw thrown
      this.#outage.reportFailure(toError(thrown))
      this.#leaders = null
      await this.#cluster.context.clock.sleep(this.#backOff.next(), this.#stop.signal)
    } finally {
      for (const partition of partitions) this.#fetching.delete(partition)
    }
  }

  #request(leader: number, partitions: readonly number[]): Promise<FetchResponse> {
    const query = {
      topic: this.topic,
      partitions: partitions.map((partition) => ({ partition, offset: this.#fetchOffset(partition) })),
      maxWaitMs: FETCH_WAIT_MS,
      maxBytes: this.#options.fetchBytesMax ?? FETCH_BYTES_MAX,
      isCommittedOnly: this.#isCommittedOnly,
    }
    return fetchOnce(this.#cluster, leader, query, this.#stop.signal)
  }

  async #add(fetched: FetchedPartition): Promise<void> {
    const { partition, errorCode } = fetched
    const offset = this.#fetchOffset(partition)
    if (errorCode === ErrorCode.OFFSET_OUT_OF_RANGE) throw await this.#outOfRange(partition, offset)
    checkResponse({ request: 'Fetch', subject: `${this.topic}-${partition}`, errorCode })
    const { records, nextOffset } = selectRecords(this.topic, fetched, offset, this.#isCommittedOnly)
    for (const record of records) this.#fetched.push(record)
    if (nextOffset > offset) this.#hasMoved = true
    this.#fetchOffsets.set(partition, nextOffset)
  }

  async #outOfRange(partition: number, offset: bigint): Promise<Error> {
    const query = { topic: this.topic, partitions: [partition], isCommittedOnly: this.#isCommittedOnly }
    const starts = await listOffsets(this.#cluster, { ...query, timestamp: EARLIEST }, this.#stop.signal)
    const ends = await listOffsets(this.#cluster, { ...query, timestamp: LATEST }, this.#stop.signal)
    const range = { start: starts.get(partition) ?? 0n, end: ends.get(partition) ?? 0n }
    return kafkaErrors.OFFSET_OUT_OF_RANGE({ topic: this.topic, partition, offset, ...range })
  }

  #fetchOffset(partition: number): bigint {
    return this.#fetchOffsets.get(partition) ?? 0n
  }

  /** Runs work in the background. `close` waits for its end, and its error becomes the failure of the reader. */
  #background(work: () => Promise<void>): void {
    const task = work()
      .catch((thrown: unknown) => {
        if (!this.#stop.signal.aborted) this.#failure ??= toError(thrown)
      })
      .finally(() => {
        this.#tasks.delete(task)
        this.#progress.notify()
      })
    this.#tasks.add(task)
  }
}
