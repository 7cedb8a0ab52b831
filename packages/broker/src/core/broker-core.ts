import { TransactionCoordinator } from '../transactions/transaction-coordinator.ts'
import { GroupCoordinator } from '../groups/group-coordinator.ts'
import { OffsetStore } from '../groups/offset-store.ts'
import { endMarker } from '../batch/checksum.ts'
import type { Api } from '../protocol/apis.ts'
import type { BrokerSettings, BrokerState, Call } from '../requests/call.ts'
import { compactLog } from '../log/compact-log.ts'
import { FetchSessions } from '../requests/fetch-sessions.ts'
import { FetchWaiters } from '../requests/fetch-waiters.ts'
import { handlers } from '../requests/handlers.ts'
import type { BrokerStorage } from '../storage/broker-storage.ts'
import type { JournalEntry } from '../storage/journal-entry.ts'
import { TimerQueue } from '../timers/timer-queue.ts'
import { TopicRegistry } from '../topics/topic-registry.ts'
import { recover } from './recovery.ts'

/** A request that was decoded. */
export interface Incoming {
  readonly api: Api
  readonly version: number
  /** Of the type of the request (message-types.ts). */
  readonly body: unknown
  readonly clientId: string
  /** As Kafka prints it: `/127.0.0.1`. */
  readonly clientHost: string
}

export interface CoreOptions {
  readonly settings: BrokerSettings
  readonly storage: BrokerStorage
  /** Random bytes: for ids of topics, members and the cluster. */
  readonly randomBytes: (count: number) => Buffer
  /** Milliseconds since 1970. */
  readonly nowMs: number
  /** Called with errors of the storage that no request waits for; the work is tried again. */
  readonly onError: (error: unknown) => void
}

/** Marks the broker in the output of every client. A cluster id has 22 characters. */
const CLUSTER_ID_PREFIX = 'dev-only-'
const CLUSTER_ID_RANDOM = 13

/** How often retention and compaction are applied, and the journal is looked at. */
const RETENTION_INTERVAL_MS = 60_000

/** Kafka's producer.id.expiration.check.interval.ms, producer.id.expiration.ms and transactional.id.expiration.ms. */
const PRODUCER_CHECK_INTERVAL_MS = 600_000
const PRODUCER_ID_EXPIRATION_MS = 86_400_000
const TRANSACTIONAL_ID_EXPIRATION_MS = 604_800_000

/**
 * A Kafka-compatible broker without sockets, files and clock. Requests and times come in by `handle` and `advance`; the
 * answers and, through the storage, all changes go out. The same inputs in the same order lead to the same outputs.
 *
 * The time never goes back: the caller passes the greatest that it has read.
 */
export class BrokerCore {
  readonly #state: BrokerState
  readonly #storage: BrokerStorage
  readonly #onError: (error: unknown) => void

  /** Reads what the storage has of earlier runs. */
  constructor({ settings, storage, randomBytes, nowMs, onError }: CoreOptions) {
    this.#onError = onError
    const timers = new TimerQueue()
    const topics = new TopicRegistry(storage)
    const offsets = new OffsetStore(storage)
    const fetches = new FetchWaiters()
    const transactions = new TransactionCoordinator(storage, timers, {
      appendMarker: ([name, partition], marker, timeMs) => {
        const topic = topics.get(name)
        const log = topic?.partitions[partition]
        if (topic === undefined || log === undefined) return
        topics.append(topic, partition, endMarker({ ...marker, timeMs }), timeMs)
        fetches.grown(log, timeMs)
      },
      commitOffsets: (group, committed) => {
        offsets.commit(group, committed)
        if (offsets.has(group)) groups.ensure(group)
      },
    })
    const newUuid = (): string => randomBytes(16).toString('base64url')
    const groups = new GroupCoordinator(timers, () => uuidText(randomBytes(16)))
    this.#storage = storage
    const found = recover({ topics, offsets, transactions, storage, nowMs })
    const clusterId =
      found.clusterId ?? `${CLUSTER_ID_PREFIX}${randomBytes(10).toString('base64url').slice(0, CLUSTER_ID_RANDOM)}`
    const sessions = new FetchSessions(() => randomBytes(4).readUInt32BE(0) >>> 1)
    this.#state = { settings, clusterId, topics, groups, offsets, transactions, timers, fetches, sessions, newUuid }
    for (const group of [...offsets.groups, ...transactions.groupsWithOffsets]) groups.ensure(group)
    storage.rewriteJournal(this.snapshot())
    transactions.complete(nowMs)
    this.#repeat(nowMs, RETENTION_INTERVAL_MS, (dueMs) => {
      this.#applyRetention(dueMs)
      this.#compact(dueMs)
      if (this.#storage.isJournalLong) this.#storage.rewriteJournal(this.snapshot())
    })
    this.#repeat(nowMs, PRODUCER_CHECK_INTERVAL_MS, (dueMs) => {
      this.forgetProducers(dueMs - PRODUCER_ID_EXPIRATION_MS)
      this.forgetTransactionalIds(dueMs - TRANSACTIONAL_ID_EXPIRATION_MS)
    })
  }

  get clusterId(): string {
    return this.#state.clusterId
  }

  /** When `advance` has something to do, in milliseconds since 1970. */
  get nextDueMs(): number {
    return this.#state.timers.nextDueMs
  }

  /** Answers at once or during a later call; null: the request has no answer. */
  handle(incoming: Incoming, nowMs: number, answer: (response: object | null) => void): void {
    this.advance(nowMs)
    const { api, version, clientId, clientHost, body } = incoming
    // The type of the body is that of its API, by whose schema it was read.
    const handler = handlers[api.name] as (
      request: unknown,
      call: Call,
      answer: (response: object | null) => void,
    ) => void
    handler(body, { state: this.#state, version, clientId, clientHost, nowMs }, answer)
  }

  /** Runs what is due: time-outs of requests, sessions and transactions, and retention. */
  advance(nowMs: number): void {
    for (;;) {
      try {
        this.#state.timers.advance(nowMs)
        return
      } catch (error) {
        // The failed timer was removed or rescheduled: run the others.
        this.#onError(error)
      }
    }
  }

  /** The state outside of the batches, as entries of a journal. */
  snapshot(): readonly JournalEntry[] {
    const { topics, offsets, transactions, clusterId } = this.#state
    const entries: JournalEntry[] = [
      { tag: 'cluster', clusterId },
      { tag: 'producer ids', next: String(transactions.reservedIds) },
    ]
    for (const { name, id, partitions, config } of topics.all) {
      entries.push({ tag: 'topic', name, id, partitions: partitions.length, configs: config.overrides })
      for (const [partition, { startOffset, compactions }] of partitions.entries()) {
        if (startOffset > 0) entries.push({ tag: 'log start', id, partition, offset: startOffset })
        for (const run of compactions.all) entries.push({ tag: 'compacted', id, partition, ...run })
      }
    }
    for (const group of offsets.groups) entries.push({ tag: 'offsets', group, offsets: offsets.all(group) })
    for (const transaction of transactions.snapshot()) entries.push({ tag: 'transaction', transaction })
    return entries
  }

  /**
   * Forgets the sequence numbers of producers without an open transaction that have written nothing since then, in
   * milliseconds since 1970. Returns how many, counted in each partition.
   */
  forgetProducers(sinceMs: number): number {
    let count = 0
    for (const { partitions } of this.#state.topics.all) {
      for (const { producers } of partitions) count += producers.forgetIdle(sinceMs)
    }
    return count
  }

  /** Forgets transactional ids without an open transaction that nobody has used since then. Returns how many. */
  forgetTransactionalIds(sinceMs: number): number {
    return this.#state.transactions.forgetIdle(sinceMs)
  }

  #repeat(nowMs: number, intervalMs: number, run: (nowMs: number) => void): void {
    this.#state.timers.at(nowMs + intervalMs, (dueMs) => {
      this.#repeat(dueMs, intervalMs, run)
      run(dueMs)
    })
  }

  #compact(nowMs: number): void {
    for (const { id, partitions, config } of this.#state.topics.all) {
      if (!config.isCompacted) continue
      const limits = {
        deleteRetentionMs: config.limit('delete.retention.ms'),
        minLagMs: config.limit('min.compaction.lag.ms'),
        maxLagMs: config.limit('max.compaction.lag.ms'),
        minDirtyRatio: Number(config.value('min.cleanable.dirty.ratio')),
      }
      for (const [partition, log] of partitions.entries()) {
        const run = compactLog(log, limits, nowMs)
        if (run !== null) this.#storage.append({ tag: 'compacted', id, partition, ...run })
      }
    }
  }

  #applyRetention(nowMs: number): void {
    for (const { id, partitions, config } of this.#state.topics.all) {
      if (!config.isDeleted) continue
      const { retentionMs: standard } = this.#state.settings
      const own = config.limit('retention.ms')
      const retentionMs = config.isSet('retention.ms') ? own : (standard ?? own)
      const limits = { retentionMs, retentionBytes: config.limit('retention.bytes') }
      for (const [partition, log] of partitions.entries()) {
        if (!log.deleteExpired(limits, nowMs)) continue
        this.#storage.append({ tag: 'log start', id, partition, offset: log.startOffset })
      }
    }
  }
}

/** As Java prints it: 8-4-4-4-12 hexadecimal digits. */
function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
