import type { JoinedGroup } from '@tributary/kafka'
import { doneOr, type Clock, type CodedError, type Logger, type Timer } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import type { Lease } from '../lease/lease.ts'
import { assignEagerly } from './assignor/eager-assignor.ts'
import { NO_MEMORY, type AssignorMember, type AssignorMemory } from './assignor/assignor.ts'
import { assignIncrementally } from './assignor/incremental-assignor.ts'
import { ownerUrls, type OwnerUrls, NO_OWNERS } from './owner-urls.ts'
import type { GroupAssignment } from './group-assignment.ts'
import type { CompletedRound, GroupRounds } from './group-member.ts'
import type { GroupView } from './group-view.ts'
import type { GroupWork } from './group-work.ts'
import {
  CONFIG_MISMATCH,
  decodeAssignment,
  encodeAssignment,
  NO_ERROR,
  type Assignment,
  type ProtocolVersion,
} from './protocol/assignment.ts'
import { offeredProtocols, versionOfProtocol, type MemberState, type ProtocolSetting } from './protocol/member-state.ts'
import type { OwnData } from './protocol/own-data.ts'
import { isEmptyWork, NO_WORK, type Work } from './protocol/work.ts'
import { RoundGate } from './round-gate.ts'
import { RoundMembers, type Candidate } from './round-members.ts'

export interface WorkRoundsOptions {
  readonly assignment: GroupAssignment
  /** The REST interface of this worker. */
  readonly url: string
  readonly own: Omit<OwnData, 'loads' | 'isLeaving'>
  readonly protocol: ProtocolSetting
  /** `scheduled.rebalance.max.delay.ms`. */
  readonly maxDelayMs: number
  readonly lease: Lease
  /** Called before an assignment takes effect. Resolves when all work that this worker has lost has stopped. */
  readonly onRound: (round: CompletedRound) => Promise<void>
  /** Returns the error for a member with other internal topics; null for any other member. */
  readonly refuse: (other: MemberState) => CodedError | null
  /** Inspects the other members. Throws the error for one with other internal topics. */
  readonly inspect: (signal: AbortSignal) => Promise<void>
  readonly requestRound: () => void
  /** Called when the coordinator is about to begin a round. */
  readonly expectRound: () => void
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * The rounds of the group that distributes the work. Members keep running their work during a round. Work that has to
 * move is revoked in one round: its owner stops it and only then joins the next round, in which another member gets it.
 *
 * A worker that is alone runs everything without rounds. When another worker joins, this one, the leader, freezes its
 * assignment to the present work before it assigns anything.
 */
export class WorkRounds implements GroupRounds, GroupView {
  readonly #options: WorkRoundsOptions
  readonly #attached = Promise.withResolvers<GroupWork>()
  readonly #gate = new RoundGate()
  readonly #reader: RoundMembers
  readonly #admitted = Promise.withResolvers<void>()
  #isAdmitted = false
  #work: GroupWork | null = null
  #onRound: () => void = () => undefined
  #isLeaving = false
  /** The last join reported that the worker cannot run anything yet. */
  #hasJoinedEarly = false
  /** The coordinator has ended the membership: another worker may have the earlier assignment. */
  #isLost = false
  /** The protocol version of the last round; null before the first one. */
  #version: ProtocolVersion | null = null
  /** The last assignment of this worker; null while it is not a member. */
  #last: Assignment | null = null
  /** A round that changes nothing for this worker is not logged, unless its leader is another one. */
  #loggedLeader = ''
  #memory: AssignorMemory = NO_MEMORY
  /** The work that no member runs after the last round that this leader computed. */
  #idle: Work = NO_WORK
  #owners: OwnerUrls = NO_OWNERS
  /** Fires when delayed work is to be assigned. */
  #delay: Timer | null = null

  constructor(options: WorkRoundsOptions) {
    this.#options = options
    this.#reader = new RoundMembers(options.logger)
  }

  /** Called when the worker is ready to run work. */
  attach(work: GroupWork, onRound: () => void): void {
    this.#work = work
    this.#onRound = onRound
    this.#attached.resolve(work)
    if (this.#hasJoinedEarly && !this.#options.assignment.isAll) this.#options.requestRound()
    this.#hasJoinedEarly = false
    work.watch({ onChanged: () => this.#requestDueRound(), onReleased: this.#options.expectRound })
  }

  /** Called when the coordinator lists only this worker. Such a worker leads the group and gets everything at once. */
  startAlone(): void {
    this.#options.assignment.takeAll()
    this.#admit()
    this.#gate.open()
  }

  #admit(): void {
    this.#isAdmitted = true
    this.#admitted.resolve()
  }

  get mayBeRefused(): boolean {
    return !this.#isAdmitted
  }

  /** Resolves when the leader has accepted this worker: it is the leader itself, or it has its first assignment. */
  get admitted(): Promise<void> {
    return this.#admitted.promise
  }

  /** The worker is about to stop: in the next round it gets nothing. */
  startLeaving(): void {
    this.#isLeaving = true
  }

  /** The protocols to offer in the next join, with the work that this member runs at the moment. */
  protocols(): ReturnType<typeof offeredProtocols> {
    const { assignment, url, own, protocol } = this.#options
    const configured = this.#work?.configured
    const running = this.#isLost ? NO_WORK : assignment.work(configured?.work ?? NO_WORK)
    const allocation = isEmptyWork(running) ? null : { ...(this.#last ?? NOTHING), assigned: running, revoked: NO_WORK }
    const loads = this.#work?.loads() ?? null
    const state = { url, configOffset: configured?.offset ?? NO_OFFSET, allocation }
    const isEarly = this.#work === null
    if (isEarly) this.#hasJoinedEarly = true
    // Like one that leaves, a worker that cannot run anything yet gets nothing (`isStarting`).
    return offeredProtocols({ ...state, own: { ...own, loads, isLeaving: this.#isLeaving || isEarly } }, protocol)
  }

  /** Called when the membership is lost. */
  lose(): void {
    this.#options.assignment.isLeader = false
    this.#isLost = true
    this.#last = null
    this.#memory = NO_MEMORY
    this.#owners = NO_OWNERS
    this.#delay?.cancel()
  }

  async prepare(signal: AbortSignal): Promise<void> {
    const { assignment } = this.#options
    this.#gate.close()
    // Connectors created from now on belong to this worker only if a round assigns them.
    if (this.#work === null) assignment.clear()
    else assignment.freeze(this.#work.configured.work)
    if (this.#version === EAGER) await this.#release(this.#ownWork(), signal)
  }

  async assign(
    group: JoinedGroup,
    signal: AbortSignal,
  ): Promise<readonly { readonly memberId: string; readonly assignment: Buffer }[]> {
    const { clock, url } = this.#options
    const version = versionOf(group)
    const members = this.#reader.read(group)
    const refused = this.#refused(group, members)
    this.#admit()
    const work = await doneOr(this.#attached.promise, signal)
    const newest = members.reduce(
      (offset, { state }) => (state.configOffset > offset ? state.configOffset : offset),
      -1n,
    )
    if (work.configured.offset < newest) await work.catchUp(signal)
    const { work: configured, offset } = work.configured
    const candidates = members.filter((each) => !refused.has(each))
    const planned = this.#plan(group, { candidates, configured, version, work, nowMs: clock.monotonicMs() })
    const mismatched = new Set([...refused].map(({ memberId }) => memberId))
    return group.members.map(({ memberId }) => {
      const { assigned, revoked } = planned.byMember.get(memberId) ?? { assigned: NO_WORK, revoked: NO_WORK }
      const error = mismatched.has(memberId) ? CONFIG_MISMATCH : NO_ERROR
      const leader = { leader: group.memberId, leaderUrl: url }
      const assignment = {
        version,
        error,
        ...leader,
        configOffset: offset,
        assigned,
        revoked,
        delayMs: planned.delayMs,
      }
      return { memberId, assignment: encodeAssignment(assignment) }
    })
  }

  /**
   * The members with other internal topics, which get no work. The coordinator may make a newcomer the leader. If the
   * members that run something have other topics than that newcomer, the newcomer is the one to refuse: this throws.
   */
  #refused(group: JoinedGroup, members: readonly Candidate[]): ReadonlySet<Candidate> {
    const { refuse } = this.#options
    const refused = new Set<Candidate>()
    for (const member of members) {
      const refusal = member.memberId === group.memberId ? null : refuse(member.state)
      if (refusal === null) continue
      if (!this.#isAdmitted && member.state.allocation !== null) throw refusal
      refused.add(member)
    }
    return refused
  }

  #plan(group: JoinedGroup, { candidates, configured, version, work, nowMs }: PlanInput): Planned {
    const { assignment, maxDelayMs } = this.#options
    const isOnly = group.members.length === 1
    if (!isOnly) assignment.freeze(configured)
    const own = this.#ownWork()
    const hasStrangers = candidates.some(({ state }) => state.own === null)
    const ready = candidates.filter((each) => each.memberId === group.memberId || !isStarting(each.state))
    const members = ready.map(({ memberId, state }): AssignorMember => {
      const isSelf = memberId === group.memberId
      return {
        memberId,
        worker: state.url,
        running: isSelf ? own : (state.allocation?.assigned ?? NO_WORK),
        loads: state.own?.loads ?? null,
        // A leader is ready to run work, so only leaving counts.
        isLeaving: isSelf ? this.#isLeaving : (state.own?.isLeaving ?? false),
        // A worker of Kafka Connect does not report its plug-ins. It gets the connectors that this worker cannot run.
        ...(hasStrangers && { canRun: (connector) => work.canRun(connector) === (state.own !== null) }),
      }
    })
    if (version === EAGER) return this.#planEagerly(members, configured)
    const result = assignIncrementally({ members, configured, memory: this.#memory, nowMs, maxDelayMs })
    this.#memory = result.memory
    const { waiting, impossible } = result.unassigned
    this.#idle = {
      connectors: [...waiting.connectors, ...impossible.connectors],
      tasks: [...waiting.tasks, ...impossible.tasks],
    }
    this.#owners = ownerUrls(members, result.assignments)
    return { byMember: result.assignments, delayMs: result.delayMs }
  }

  /**
   * In version 0 of the protocol members stop their work before they join, and do not report it. After a round of
   * another version they still run it. So the first round of version 0 assigns nothing: all have stopped before the
   * next.
   */
  #planEagerly(members: readonly AssignorMember[], configured: Work): Planned {
    this.#idle = NO_WORK
    this.#memory = NO_MEMORY
    this.#owners = NO_OWNERS
    if (this.#version !== EAGER && members.length > 1) return { byMember: new Map(), delayMs: 0 }
    const assigned = assignEagerly({ members, configured })
    const byMember = new Map([...assigned].map(([id, work]) => [id, { assigned: work, revoked: NO_WORK }]))
    this.#owners = ownerUrls(
      members.map((each) => ({ ...each, running: NO_WORK })),
      byMember,
    )
    return { byMember, delayMs: 0 }
  }

  async take(round: CompletedRound, signal: AbortSignal): Promise<'done' | 'again'> {
    const { assignment, onRound } = this.#options
    const message = decodeAssignment(round.assignment)
    const version = versionOf(round.group)
    const hasLeftProtocol = version === EAGER && this.#version !== EAGER && !round.isAlone
    await onRound(round)
    this.#isLost = false
    this.#version = version
    this.#delay?.cancel()
    if (message.error !== NO_ERROR) return this.#retryAfterMismatch(signal)
    this.#admit()
    this.#last = message
    assignment.generation = Math.max(1, round.group.generationId)
    assignment.isLeader = round.isLeader
    if (!round.isLeader) this.#owners = NO_OWNERS
    if (round.isAlone) return this.#takeAll(signal)
    const outcome = await this.#apply(message, version, signal)
    if (round.isLeader) this.#reportIdle()
    if (hasLeftProtocol || outcome === 'again') return 'again'
    if (message.delayMs > 0) this.#delay = this.#options.clock.after(message.delayMs, this.#options.requestRound)
    this.#gate.open()
    this.#onRound()
    this.#requestDueRound()
    return 'done'
  }

  async #takeAll(signal: AbortSignal): Promise<'done'> {
    const { assignment, lease, logger } = this.#options
    const work = this.#work
    // As in `#apply`: after a suspension of this process, another worker may be alone by now.
    if (work !== null && !assignment.isAll) await lease.held(signal)
    this.#gate.open()
    if (assignment.isAll) return 'done'
    logger.info(`Group round ${assignment.generation}: this worker is alone and has everything`)
    assignment.takeAll()
    if (work !== null) void work.reconcile(work.configured.work.connectors)
    return 'done'
  }

  async #apply(message: Assignment, version: ProtocolVersion, signal: AbortSignal): Promise<'done' | 'again'> {
    const { assignment, lease, logger } = this.#options
    // A worker that cannot run anything yet has nothing to do in a round. The leader only expects it to join.
    if (this.#work === null && isEmptyWork(message.assigned ?? NO_WORK)) return 'done'
    const work = await doneOr(this.#attached.promise, signal)
    if (work.configured.offset < message.configOffset) await work.catchUp(signal)
    const assigned = message.assigned ?? NO_WORK
    const revoked = version === EAGER ? this.#ownWork() : (message.revoked ?? NO_WORK)
    const isNews = !isEmptyWork(assigned) || !isEmptyWork(revoked) || message.leader !== this.#loggedLeader
    this.#loggedLeader = message.leader
    logger[isNews ? 'info' : 'debug'](
      `Group round ${assignment.generation}: assigned ${countsOf(assigned)}, revoked ${countsOf(revoked)}; leader ${message.leaderUrl}`,
    )
    const released = this.#release(revoked, signal)
    released.catch(() => undefined)
    if (version === EAGER) await released
    if (!isEmptyWork(assigned)) {
      // The process may have been suspended since the coordinator's answer: start nothing before the lease is renewed.
      await lease.held(signal)
      assignment.add(assigned)
      void work.reconcile(connectorsOf(assigned))
    }
    await released
    return version === EAGER || isEmptyWork(revoked) ? 'done' : 'again'
  }

  /** Resolves when the work has stopped, its offsets are stored, and its statuses are written. */
  async #release(revoked: Work, signal: AbortSignal): Promise<void> {
    const { assignment, clock, logger } = this.#options
    const work = this.#work
    if (work === null || isEmptyWork(revoked)) return
    assignment.release(revoked)
    await doneOr(work.reconcile(connectorsOf(revoked)), signal)
    // The leader assigns this work to nobody until this worker joins the next round.
    while (revoked.tasks.some((task) => work.has(task))) {
      const ids = revoked.tasks.filter((task) => work.has(task)).map(({ connector, task }) => `${connector}-${task}`)
      logger.error(`The worker could not stop tasks that another worker is to get, and tries again: ${ids.join(', ')}`)
      await clock.sleep(RELEASE_AGAIN_MS, signal)
      await doneOr(work.reconcile(connectorsOf(revoked)), signal)
    }
    assignment.dropReleased()
  }

  /** Called when the leader refused this state of the config topic: the leader has read more, or uses another topic. */
  async #retryAfterMismatch(signal: AbortSignal): Promise<'again'> {
    const { clock, inspect } = this.#options
    await inspect(signal)
    await this.#work?.catchUp(signal)
    await clock.sleep(MISMATCH_PAUSE_MS, signal)
    return 'again'
  }

  #reportIdle(): void {
    const { url } = this.#options
    const owners = this.#owners
    const workers = new Set([url, ...owners.urls].map(hostOf))
    const mayRunTask = (connector: string, task: number): boolean => owners.mayRunTask(connector, task)
    this.#work?.reportIdle(this.#idle, { workers, mayRunTask })
  }

  /** Whether connectors or tasks were added or removed since the state that the last assignments are based on. */
  #requestDueRound(): void {
    const { assignment, requestRound } = this.#options
    if (this.#work === null || this.#last === null || assignment.isAll) return
    if (this.#work.configured.changedAt > this.#last.configOffset) requestRound()
  }

  #ownWork(): Work {
    const { assignment } = this.#options
    return this.#isLost ? NO_WORK : assignment.work(this.#work?.configured.work ?? NO_WORK)
  }

  get isLeader(): boolean {
    return this.#options.assignment.isLeader
  }

  get isSole(): boolean {
    return this.#options.assignment.isAll
  }

  get isSigned(): boolean {
    return this.#version === null || this.#version >= SESSIONED
  }

  get leaderUrl(): string | null {
    return this.isSole ? this.#options.url : (this.#last?.leaderUrl ?? null)
  }

  connectorOwnerUrl(connector: string): string | null {
    return this.ownsConnector(connector) ? this.#options.url : this.#owners.ofConnector(connector)
  }

  taskOwnerUrl(connector: string, task: number): string | null {
    return this.ownsTask(connector, task) ? this.#options.url : this.#owners.ofTask(connector, task)
  }

  ownsConnector(connector: string): boolean {
    return this.#options.assignment.hasConnector(connector)
  }

  ownsTask(connector: string, task: number): boolean {
    return this.#options.assignment.hasTask(connector, task)
  }

  tasksMayRun(connector: string): boolean {
    return !this.isSole && this.#owners.mayRunTasks(connector)
  }

  settled(signal: AbortSignal): Promise<void> {
    return this.#gate.opened(signal)
  }

  async catchUp(signal: AbortSignal): Promise<void> {
    await this.#work?.catchUp(signal)
  }
}

interface PlanInput {
  readonly candidates: readonly Candidate[]
  readonly configured: Work
  readonly version: ProtocolVersion
  readonly work: GroupWork
  readonly nowMs: number
}

interface Planned {
  readonly byMember: ReadonlyMap<string, { readonly assigned: Work; readonly revoked: Work }>
  readonly delayMs: number
}

function versionOf({ protocol }: JoinedGroup): ProtocolVersion {
  const version = versionOfProtocol(protocol)
  if (version === null) throw runtimeErrors.GROUP_PROTOCOL_UNKNOWN({ protocol })
  return version
}

function connectorsOf({ connectors, tasks }: Work): ReadonlySet<string> {
  return new Set([...connectors, ...tasks.map(({ connector }) => connector)])
}

/**
 * Whether the member cannot run anything yet. The leader assigns nothing to it, and work that waits for its return
 * keeps waiting: the member joins again when it is ready.
 */
function isStarting({ own, configOffset }: MemberState): boolean {
  return own?.isLeaving === true && configOffset === NO_OFFSET
}

function countsOf({ connectors, tasks }: Work): string {
  return `${connectors.length} connectors and ${tasks.length} tasks`
}

/** `host:port` of a URL, as in statuses. */
function hostOf(url: string): string {
  return url.replace(/^[a-z]+:\/\//, '').replace(/\/$/, '')
}

/** Before its first assignment a worker runs nothing, and has no leader. */
const NOTHING: Assignment = {
  version: 2,
  error: NO_ERROR,
  leader: '',
  leaderUrl: '',
  configOffset: -1n,
  assigned: NO_WORK,
  revoked: NO_WORK,
  delayMs: 0,
}

const EAGER: ProtocolVersion = 0
const SESSIONED: ProtocolVersion = 2
/** The config offset of a worker that has not read the config topic yet, as in Kafka Connect. */
const NO_OFFSET = -1n
const MISMATCH_PAUSE_MS = 250
const RELEASE_AGAIN_MS = 1_000
