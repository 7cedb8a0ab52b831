import type { GroupClient, Kafka } from '@tributary/kafka'
import {
  StoppedError,
  toError,
  withTimeout,
  type Clock,
  type CodedError,
  type Logger,
  type Timer,
} from '@tributary/support'
import { randomUUID } from 'node:crypto'
import type { WorkerConfig } from '../config/worker-config.ts'
import { runtimeErrors } from '../errors.ts'
import type { Lease, Moment } from '../lease/lease.ts'
import { ExclusiveMembership } from './exclusive-membership.ts'
import { encodeMetadata, type MemberInfo } from './member-metadata.ts'
import { Occupants } from './occupants.ts'
import { ownProcess } from './process-identity.ts'

export interface WorkerMembershipOptions {
  readonly kafka: Kafka
  readonly config: WorkerConfig
  /** `host:port` under which this worker is known. */
  readonly workerId: string
  readonly lease: Lease
  readonly clock: Clock
  readonly logger: Logger
}

/** What the membership decides about the work of the worker. */
export interface MembershipListener {
  /** Stops all work: another worker may have taken it over. Resolves when nothing runs any more. */
  onLost(): Promise<void>
  /** The worker is the only one again and starts the work that it has stopped. */
  onRegained(): void
}

/**
 * The membership of this worker in two groups of Kafka: that of its `group.id`, and one that is named after its config
 * topic. The first keeps out workers of the same group, those of Kafka Connect included, the second workers of another
 * group on the same topics. It joins the second one first, and each worker in this order, so that of two workers that
 * start at the same time one joins both.
 *
 * Heartbeats renew the lease, by which tasks write. When they fail, the lease ends before the coordinator can admit
 * another worker, and tasks wait. What happens then depends on the coordinator:
 *
 * - It still knows the member: tasks continue.
 * - It has removed the member, and the generation proves that nobody else was one: tasks continue.
 * - Otherwise tasks stop, and start again from stored offsets when this worker is a member again.
 * - Another worker runs: `failed` fires, and this worker ends.
 */
export class WorkerMembership implements AsyncDisposable {
  readonly #options: WorkerMembershipOptions
  readonly #clients: readonly GroupClient[]
  readonly #memberships: readonly ExclusiveMembership[]
  readonly #stop = new AbortController()
  readonly #failed = new AbortController()
  /** When the last confirmed request was sent, by group. */
  readonly #confirmed = new Map<string, Moment>()
  /** The groups whose membership is lost. */
  readonly #lost = new Set<string>()
  #loops: readonly Promise<void>[] = []
  #listener: MembershipListener = { onLost: () => Promise.resolve(), onRegained: () => undefined }
  /** The work is being stopped. */
  #stopping: Promise<void> | null = null
  /** The work was stopped. */
  #hasStopped = false
  /** Fires when the lease ends without a renewal. */
  #expiry: Timer | null = null
  /** The log reports that tasks wait for the lease. */
  #isSuspended = false

  constructor(options: WorkerMembershipOptions) {
    const { kafka, config, workerId, clock, logger } = options
    this.#options = options
    const { sessionTimeoutMs, heartbeatIntervalMs, rebalanceTimeoutMs } = config
    const scheme = config.rest.listeners.every(({ isTls }) => isTls) ? 'https' : 'http'
    const own = ownProcess()
    const info = { group: config.groupId, configTopic: config.configTopic.name, sessionTimeoutMs, process: own }
    const metadata = encodeMetadata({ url: `${scheme}://${workerId}/`, ...info })
    // No other process offers a protocol of this name, so that the coordinator admits nobody else.
    const protocols = [{ name: `tributary-${randomUUID()}`, metadata }]
    const refusal = (worker: string, other: MemberInfo): CodedError => this.#refusal(worker, other)
    const members = [topicGroup(config), config.groupId].map((groupId) => {
      const client = kafka.group({
        groupId,
        protocolType: 'connect',
        protocols,
        sessionTimeoutMs,
        rebalanceTimeoutMs,
        requestTimeoutMs: Math.max(heartbeatIntervalMs, REQUEST_LEAST_MS),
        clientId: config.properties['client.id'] ?? `connect-${workerId}`,
      })
      const membership = new ExclusiveMembership({
        client,
        groupId,
        occupants: new Occupants({ client, groupId, own, sessionTimeoutMs, refusal, clock, logger }),
        heartbeatIntervalMs,
        onConfirmed: (since) => this.#onConfirmed(groupId, since),
        clock,
        logger,
      })
      return { client, membership }
    })
    this.#clients = members.map(({ client }) => client)
    this.#memberships = members.map(({ membership }) => membership)
  }

  /** Fires when this worker must end: its reason is the error. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  /**
   * Joins both groups and begins to keep the memberships.
   *
   * @throws WORKER_GROUP_TAKEN, WORKER_TOPIC_TAKEN, WORKER_GROUP_FOREIGN, errors of the broker, StoppedError
   */
  async join(signal: AbortSignal): Promise<void> {
    const stop = AbortSignal.any([signal, this.#stop.signal])
    // Their errors are those of the joins, which try again.
    for (const client of this.#clients) client.connect(stop).catch(() => undefined)
    for (const membership of this.#memberships) {
      await membership.enter({ isComplete: false }, stop)
      this.#loops = [...this.#loops, this.#follow(membership)]
    }
    this.#options.logger.info(`Joined group ${this.#options.config.groupId}: this worker is its only member`)
  }

  /** From now on the listener is asked to stop and start work. */
  listen(listener: MembershipListener): void {
    this.#listener = listener
  }

  async #follow(membership: ExclusiveMembership): Promise<void> {
    const { signal } = this.#stop
    try {
      for (;;) {
        await membership.keep(signal)
        this.#onLost(membership.groupId)
        const onConflict = (): void => this.#stopWork()
        const isContinuous = await membership.enter({ isComplete: true, onConflict }, signal)
        if (!isContinuous) this.#stopWork()
        this.#lost.delete(membership.groupId)
        this.#settle()
      }
    } catch (error) {
      if (error instanceof StoppedError) return
      this.#options.lease.revoke()
      this.#failed.abort(error)
    }
  }

  #onConfirmed(groupId: string, since: Moment): void {
    const { config, lease, clock, logger } = this.#options
    this.#confirmed.set(groupId, since)
    if (this.#lost.size > 0 || this.#stopping !== null || this.#confirmed.size < this.#memberships.length) return
    const moments = [...this.#confirmed.values()]
    const durationMs = leaseMs(config.sessionTimeoutMs)
    const monotonicMs = Math.min(...moments.map((moment) => moment.monotonicMs))
    lease.renew({ monotonicMs, wallMs: Math.min(...moments.map(({ wallMs }) => wallMs)) }, durationMs)
    const untilMs = monotonicMs + durationMs
    this.#expiry?.cancel()
    this.#expiry = clock.after(Math.max(0, untilMs - clock.monotonicMs()) + 1, () => this.#onExpired())
    if (!this.#isSuspended || !lease.isHeld) return
    this.#isSuspended = false
    logger.info('The worker has confirmed its membership: its tasks continue')
  }

  #onExpired(): void {
    const { lease, logger, config } = this.#options
    if (this.#isSuspended || lease.isHeld || this.#stop.signal.aborted) return
    this.#isSuspended = true
    logger.warn(
      `The worker could not confirm its membership in group ${config.groupId} for ${leaseMs(config.sessionTimeoutMs) / 1000} s: its tasks write nothing until it has, because another worker may take over`,
    )
  }

  #onLost(groupId: string): void {
    this.#lost.add(groupId)
    this.#confirmed.delete(groupId)
    this.#options.lease.revoke()
  }

  #stopWork(): void {
    if (this.#stopping !== null) return
    const { logger } = this.#options
    logger.warn('Another worker may have run the connectors of this one meanwhile: all tasks stop')
    this.#hasStopped = true
    this.#stopping = this.#listener.onLost().then(
      () => this.#onStopped(),
      (error: unknown) => this.#failed.abort(toError(error)),
    )
  }

  #onStopped(): void {
    this.#stopping = null
    this.#settle()
  }

  /** Starts the work again when everything is stopped and this worker is the member of both groups. */
  #settle(): void {
    if (this.#lost.size > 0 || this.#stopping !== null) return
    // Renews the lease.
    for (const [groupId, since] of this.#confirmed) this.#onConfirmed(groupId, since)
    if (!this.#hasStopped) return
    this.#hasStopped = false
    this.#options.logger.info(`Joined group ${this.#options.config.groupId} again: the tasks start from stored offsets`)
    this.#listener.onRegained()
  }

  #refusal(worker: string, other: MemberInfo): CodedError {
    const { groupId, configTopic } = this.#options.config
    const { group = groupId } = other
    if (group === groupId) return runtimeErrors.WORKER_GROUP_TAKEN({ group, worker })
    return runtimeErrors.WORKER_TOPIC_TAKEN({ topic: configTopic.name, group, worker })
  }

  /** Leaves both groups, so that another worker may start at once. Call it when no task runs. Idempotent. */
  async leave(): Promise<void> {
    const { clock, lease, logger } = this.#options
    this.#stop.abort()
    this.#expiry?.cancel()
    await Promise.all(this.#loops)
    lease.revoke()
    try {
      await withTimeout(clock, LEAVE_MS, async (limit) => {
        await Promise.all(this.#memberships.map((membership) => membership.leave(limit)))
      })
    } catch (error) {
      logger.debug('The group could not be left; the membership ends with its session', { error: toError(error) })
    }
    await Promise.all(this.#clients.map((client) => client[Symbol.asyncDispose]()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave()
  }
}

/** The group that contains the worker on a config topic, whatever its `group.id`. */
export function topicGroup({ configTopic }: WorkerConfig): string {
  return `tributary-worker-on-${configTopic.name}`
}

/**
 * How long after a confirmed heartbeat this worker is the only one. The coordinator waits for a whole session after it
 * has received the heartbeat; the rest is for a thread that was interrupted between the look at the lease and the write.
 */
export function leaseMs(sessionTimeoutMs: number): number {
  return Math.floor(sessionTimeoutMs * LEASE_SHARE)
}

const LEASE_SHARE = 0.8
const REQUEST_LEAST_MS = 1_000
/** Nothing depends on it: without it the next worker waits for the end of the session. */
const LEAVE_MS = 1_000
