import type { GroupClient, Kafka } from '@tributary/kafka'
import { doneOr, StoppedError, toError, withTimeout } from '@tributary/support'
import type { Clock, CodedError, Logger, Timer } from '@tributary/support'
import type { WorkerConfig } from '../config/worker-config.ts'
import { runtimeErrors } from '../errors.ts'
import type { Lease, Moment } from '../lease/lease.ts'
import type { GroupAssignment } from './group-assignment.ts'
import { GroupMember, leaseMs, type CompletedRound, type GroupRounds } from './group-member.ts'
import type { GroupView } from './group-view.ts'
import type { GroupWork } from './group-work.ts'
import { GuardRounds } from './guard-rounds.ts'
import { Occupants } from './occupants.ts'
import { ownProcess, type ProcessIdentity } from './process-identity.ts'
import { encodeMemberState, type MemberState } from './protocol/member-state.ts'
import type { OwnData } from './protocol/own-data.ts'
import { untilFailed } from './until-failed.ts'
import { WorkRounds } from './work-rounds.ts'

export interface WorkerMembershipOptions {
  readonly kafka: Pick<Kafka, 'group'>
  readonly config: WorkerConfig
  /** `host:port` under which this worker is known. */
  readonly workerId: string
  /** Its REST interface, `http://host:port/`. */
  readonly url: string
  /** The version of this build, for messages of other workers. */
  readonly version: string
  /** The work of this worker; the membership changes it. */
  readonly assignment: GroupAssignment
  readonly lease: Lease
  /** Null: no other worker can see whether it runs. Default: this process. */
  readonly process?: ProcessIdentity | null
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * The membership of this worker in two groups of Kafka:
 *
 * - The group `group.id`, with the protocols of Kafka Connect. Its rounds distribute the work
 *   ([`WorkRounds`](work-rounds.ts)).
 * - The guard group, which is named after the config topic. Its members offer a protocol named after their `group.id`,
 *   so the coordinator keeps out workers of another group on the same topics.
 *
 * All workers join the guard group first. So if two workers of different groups start at the same time, exactly one of
 * them joins both.
 *
 * Heartbeats renew the lease, without which tasks do not write. When heartbeats fail, the lease ends before the
 * coordinator can give the place of this worker to others, and tasks wait. The next step depends on the coordinator:
 *
 * - It still knows the member: tasks continue.
 * - It has removed the member: tasks stop, and the tasks that the next round assigns start from stored offsets. A
 *   generation cannot prove that nobody else was a member meanwhile: a worker that is listed alone runs before its
 *   first generation exists, and generations begin again when a group was deleted.
 * - A worker that cannot share the groups has joined: `failed` fires, and this worker ends.
 */
export class WorkerMembership implements AsyncDisposable {
  readonly #options: WorkerMembershipOptions
  readonly #process: ProcessIdentity | null
  readonly #clients: readonly GroupClient[]
  /** The member of the guard group first. */
  readonly #members: readonly GroupMember[]
  readonly #rounds: WorkRounds
  readonly #stop = new AbortController()
  readonly #failed = new AbortController()
  /** Until when this worker certainly keeps its place, by group. */
  readonly #confirmed = new Map<string, Moment>()
  /** The groups whose membership is lost, and not regained by a round. */
  readonly #lost = new Set<string>()
  #loops: readonly Promise<void>[] = []
  #work: GroupWork | null = null
  /** The work is being stopped. */
  #stopping: Promise<void> | null = null
  /** The work was stopped. */
  #hasStopped = false
  /** Fires when the lease ends without a renewal. */
  #expiry: Timer | null = null
  /** The log reports that tasks wait for the lease. */
  #isSuspended = false

  constructor(options: WorkerMembershipOptions) {
    const { config, url, version, assignment, lease, clock, logger } = options
    const { sessionTimeoutMs, groupId } = config
    this.#options = options
    this.#process = options.process === undefined ? ownProcess() : options.process
    const own = { version, features: [], group: groupId, ...topicsOf(config), sessionTimeoutMs, process: this.#process }
    this.#rounds = new WorkRounds({
      assignment,
      url,
      own,
      protocol: config.groupProtocol,
      maxDelayMs: config.rebalanceDelayMs,
      lease,
      onRound: (round) => this.#onRound(groupId, round),
      refuse: (state) => this.#objection(state.url, state),
      inspect: (signal) => occupants.inspect(signal),
      requestRound: () => member.requestRound(),
      expectRound: () => member.expectRound(),
      clock,
      logger,
    })
    const guard = this.#createGuard(url, own)
    const { client, occupants, member } = this.#createMember(groupId, () => this.#rounds.protocols(), this.#rounds)
    this.#clients = [guard.client, client]
    this.#members = [guard.member, member]
  }

  #createGuard(url: string, own: Omit<OwnData, 'loads' | 'isLeaving'>): CreatedMember {
    const { config } = this.#options
    const group = topicGroup(config)
    const state = { version: 0, url, configOffset: -1n, allocation: null } as const
    const metadata = encodeMemberState({ ...state, own: { ...own, loads: null, isLeaving: false } })
    const protocols = [{ name: `tributary-group-${config.groupId}`, metadata }]
    return this.#createMember(group, protocols, new GuardRounds((round) => void this.#onRound(group, round)))
  }

  #createMember(
    groupId: string,
    protocols: Parameters<Kafka['group']>[0]['protocols'],
    rounds: GroupRounds,
  ): CreatedMember {
    const { kafka, config, workerId, clock, logger } = this.#options
    const { sessionTimeoutMs, heartbeatIntervalMs, rebalanceTimeoutMs } = config
    const client = kafka.group({
      groupId,
      protocolType: 'connect',
      protocols,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      requestTimeoutMs: Math.max(heartbeatIntervalMs, REQUEST_LEAST_MS),
      clientId: config.properties['client.id'] ?? `connect-${workerId}`,
    })
    const occupants = new Occupants({
      client,
      groupId,
      own: this.#process,
      sessionTimeoutMs,
      refusal: (worker, state) => this.#refusal(worker, state),
      objection: (worker, state) => this.#objection(worker, state),
      clock,
      logger,
    })
    const member = new GroupMember({
      client,
      groupId,
      occupants,
      rounds,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      heartbeatIntervalMs,
      onConfirmed: (end) => this.#onConfirmed(groupId, end),
      clock,
      logger,
    })
    return { client, occupants, member }
  }

  /** Fires when this worker must end: its reason is the error. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  /** The facts about the group that requests need. */
  get view(): GroupView {
    return this.#rounds
  }

  /**
   * Joins both groups and begins to keep the memberships. If the coordinators list nobody else, everything is assigned
   * to this worker at once. Otherwise it waits for its first round, in which the leader may refuse it.
   *
   * @throws WORKER_GROUP_TAKEN, WORKER_GROUP_TOPICS, WORKER_TOPIC_TAKEN, WORKER_GROUP_FOREIGN, errors of the broker,
   *   StoppedError
   */
  async join(signal: AbortSignal): Promise<void> {
    const { logger, config } = this.#options
    const stop = AbortSignal.any([signal, this.#stop.signal])
    // Their errors are those of the joins, which try again.
    for (const client of this.#clients) client.connect(stop).catch(() => undefined)
    for (const member of this.#members) {
      const { isAlone } = await member.enter({ isNew: true }, stop)
      const isMain = member.groupId === config.groupId
      if (isMain && isAlone) this.#rounds.startAlone()
      if (isMain) logger.info(`Joined group ${config.groupId}: ${isAlone ? ALONE : NOT_ALONE}`)
      this.#loops = [...this.#loops, this.#follow(member)]
    }
    await untilFailed(this, stop, (limit) => doneOr(this.#rounds.admitted, limit))
  }

  /**
   * From now on the rounds distribute this work, and a lost membership stops it. `onRound` is called at the end of each
   * round.
   */
  listen(work: GroupWork, onRound: () => void): void {
    this.#work = work
    this.#rounds.attach(work, onRound)
  }

  /** The worker is about to stop. It remains a member until it leaves. */
  startLeaving(): void {
    this.#rounds.startLeaving()
  }

  async #follow(member: GroupMember): Promise<void> {
    const { signal } = this.#stop
    try {
      for (;;) {
        await member.keep(signal)
        this.#onLost(member.groupId)
        await member.enter({ isNew: false }, signal)
      }
    } catch (error) {
      if (error instanceof StoppedError) return
      this.#options.lease.revoke()
      this.#failed.abort(error)
    }
  }

  #onConfirmed(groupId: string, end: Moment): void {
    this.#confirmed.set(groupId, end)
    this.#settle()
  }

  #renew(): void {
    const { lease, clock, logger } = this.#options
    if (this.#confirmed.size < this.#members.length) return
    const ends = [...this.#confirmed.values()]
    const monotonicMs = Math.min(...ends.map((end) => end.monotonicMs))
    lease.renew({ monotonicMs, wallMs: Math.min(...ends.map(({ wallMs }) => wallMs)) }, 0)
    this.#expiry?.cancel()
    this.#expiry = clock.after(Math.max(0, monotonicMs - clock.monotonicMs()) + 1, () => this.#onExpired())
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
    const { lease, config, assignment } = this.#options
    lease.revoke()
    this.#confirmed.delete(groupId)
    if (this.#work === null) {
      // Nothing runs yet that has to stop. The start may wait for the lease, so the lease does not wait for a round,
      // which the worker completes only when it has started.
      assignment.clear()
    } else {
      this.#lost.add(groupId)
      this.#stopWork()
    }
    if (groupId === config.groupId) this.#rounds.lose()
  }

  /** Resolves when this worker may apply the assignment of the round. */
  async #onRound(groupId: string, { isContinuous }: CompletedRound): Promise<void> {
    const { assignment, config } = this.#options
    if (!this.#lost.has(groupId)) return
    if (!isContinuous) this.#stopWork()
    if (this.#stopping !== null) await this.#stopping
    if (!isContinuous && groupId === config.groupId) assignment.clear()
    this.#lost.delete(groupId)
    this.#settle()
  }

  #stopWork(): void {
    if (this.#stopping !== null || this.#hasStopped) return
    const { logger, assignment } = this.#options
    logger.warn('Another worker may have run the connectors of this one meanwhile: all tasks stop')
    this.#hasStopped = true
    assignment.suspend()
    const stopped = this.#work?.stopAll() ?? Promise.resolve()
    this.#stopping = stopped.then(
      () => this.#onStopped(),
      (error: unknown) => this.#failed.abort(toError(error)),
    )
  }

  #onStopped(): void {
    this.#stopping = null
    this.#settle()
  }

  /**
   * Renews the lease, and starts the work again when everything is stopped and this worker is certainly a member of both
   * groups. After a suspension of this process it hears of the end of one membership before it hears of the other's:
   * until the lease is held, another worker may have the work.
   */
  #settle(): void {
    if (this.#lost.size > 0 || this.#stopping !== null) return
    this.#renew()
    const { logger, assignment, config, lease } = this.#options
    if (!this.#hasStopped || !lease.isHeld) return
    this.#hasStopped = false
    logger.info(`Joined group ${config.groupId} again: the tasks start from stored offsets`)
    assignment.resume()
    this.#work?.startAll()
  }

  /** The error for a worker that keeps this one out of a group. */
  #refusal(worker: string, state: MemberState | null): CodedError {
    const { groupId, configTopic } = this.#options.config
    const group = state?.own?.group ?? groupId
    if (group === groupId) return runtimeErrors.WORKER_GROUP_TAKEN({ group, worker })
    return runtimeErrors.WORKER_TOPIC_TAKEN({ topic: configTopic.name, group, worker })
  }

  /** The error for a worker of the same group with other internal topics. */
  #objection(worker: string, { own }: MemberState): CodedError | null {
    const { config } = this.#options
    if (own === null || own.group !== config.groupId) return null
    const mine = topicsOf(config)
    const isSame = (['configTopic', 'offsetTopic', 'statusTopic'] as const).every(
      (each) => own[each] === null || own[each] === mine[each],
    )
    if (isSame) return null
    return runtimeErrors.WORKER_GROUP_TOPICS({
      group: config.groupId,
      worker,
      theirs: [own.configTopic, own.offsetTopic, own.statusTopic].join(', '),
      own: Object.values(mine).join(', '),
    })
  }

  /** Leaves both groups, so that the others take over at once. Call it when no task runs. Idempotent. */
  async leave(): Promise<void> {
    const { clock, lease, logger } = this.#options
    this.#stop.abort()
    this.#expiry?.cancel()
    await Promise.all(this.#loops)
    lease.revoke()
    try {
      await withTimeout(clock, LEAVE_MS, async (limit) => {
        await Promise.all(this.#members.map((member) => member.leave(limit)))
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

interface CreatedMember {
  readonly client: GroupClient
  readonly occupants: Occupants
  readonly member: GroupMember
}

/** The group that contains the workers on a config topic, whatever their `group.id`. */
export function topicGroup({ configTopic }: WorkerConfig): string {
  return `tributary-worker-on-${configTopic.name}`
}

function topicsOf({
  configTopic,
  offsetTopic,
  statusTopic,
}: WorkerConfig): Pick<OwnData, 'configTopic' | 'offsetTopic' | 'statusTopic'> {
  return { configTopic: configTopic.name, offsetTopic: offsetTopic.name, statusTopic: statusTopic.name }
}

const ALONE = 'this worker is its only member'
const NOT_ALONE = 'it has other members, or had until a moment ago. The next round distributes the work'
const REQUEST_LEAST_MS = 1_000
/** Best effort: if leaving fails, the others wait for the end of the session. */
const LEAVE_MS = 1_000
