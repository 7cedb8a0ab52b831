import type { GroupCoordinator } from '../groups/group-coordinator.ts'
import type { OffsetStore } from '../groups/offset-store.ts'
import type { ApiName, RequestOf, ResponseOf } from '../protocol/message-types.ts'
import type { TimerQueue } from '../timers/timer-queue.ts'
import type { TopicRegistry } from '../topics/topic-registry.ts'
import type { TransactionCoordinator } from '../transactions/transaction-coordinator.ts'
import type { FetchSessions } from './fetch-sessions.ts'
import type { FetchWaiters } from './fetch-waiters.ts'

/** Settings of a broker that its answers depend on. */
export interface BrokerSettings {
  readonly nodeId: number
  /** The address that clients connect to. */
  readonly host: string
  readonly port: number
  /** Creates topics that a producer or reader asks for (auto.create.topics.enable). */
  readonly createsTopics: boolean
  /** Partitions of such topics and of those created without a number. */
  readonly defaultPartitions: number
  /** How long topics without `retention.ms` keep records (log.retention.ms). Default: that of Kafka. Infinity: no limit. */
  readonly retentionMs?: number
}

/** The state of a broker, as the handlers of its requests see it. */
export interface BrokerState {
  readonly settings: BrokerSettings
  readonly clusterId: string
  readonly topics: TopicRegistry
  readonly groups: GroupCoordinator
  readonly offsets: OffsetStore
  readonly transactions: TransactionCoordinator
  readonly timers: TimerQueue
  readonly fetches: FetchWaiters
  readonly sessions: FetchSessions
  readonly newUuid: () => string
}

/** One request: who sent it, in which version, and when. */
export interface Call {
  readonly state: BrokerState
  readonly version: number
  readonly clientId: string
  readonly clientHost: string
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** Answers a request at once or later; null: the request has no answer. */
export type Handler<Name extends ApiName> = (
  request: RequestOf<Name>,
  call: Call,
  answer: (response: ResponseOf<Name> | null) => void,
) => void
