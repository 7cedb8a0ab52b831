import type { GroupClient, HeartbeatResult, JoinedGroup, JoinResult } from '@tributary/kafka'
import {
  BackOff,
  doneOr,
  isRetriable,
  Outage,
  StoppedError,
  throwIfStopped,
  toError,
  withTimeout,
} from '@tributary/support'
import type { Clock, Logger } from '@tributary/support'
import { type Moment, momentOf } from '../lease/lease.ts'
import { Nudge } from './nudge.ts'
import { isRefusal, type Occupants } from './occupants.ts'

/** A round that this member has completed: the generation, and this member's assignment. */
export interface CompletedRound {
  readonly group: JoinedGroup
  readonly assignment: Buffer
  readonly isLeader: boolean
  /** This process is the only member. */
  readonly isAlone: boolean
  /**
   * The coordinator has regarded this process as a member without interruption since its last round, so nobody else can
   * have taken over any of its work.
   */
  readonly isContinuous: boolean
}

/** The part of a member in the rounds of its group. One round at a time. */
export interface GroupRounds {
  /** True until the leader has accepted this member: a refusal ends it. An accepted member runs on and retries. */
  readonly mayBeRefused: boolean
  /** Resolves when the member may join: all work that it has to give up before has stopped. */
  prepare(signal: AbortSignal): Promise<void>
  /** The leader's part: the assignment of each member. */
  assign(
    group: JoinedGroup,
    signal: AbortSignal,
  ): Promise<readonly { readonly memberId: string; readonly assignment: Buffer }[]>
  /** Puts the assignment into effect. `again`: the member has to join again at once. */
  take(round: CompletedRound, signal: AbortSignal): Promise<'done' | 'again'>
}

export interface GroupMemberOptions {
  readonly client: GroupClient
  readonly groupId: string
  readonly occupants: Occupants
  readonly rounds: GroupRounds
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  readonly heartbeatIntervalMs: number
  /** Until then the coordinator keeps this member's place. By both clocks: one stops while the machine sleeps. */
  readonly onConfirmed: (end: Moment) => void
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * The membership of this process in a group of Kafka.
 *
 * ```
 *             ┌── refused: wait for the others' end ◀┐
 *             ▼                                      │
 *  enter ── join ──▶ listed ── keep ──▶ round: join, assign (leader), sync, take ──▶ wait for a reason ─┐
 *                    │                    ▲                                                             │
 *                    │                    └─────────────────────────────────────────────────────────────┘
 *                    └── heartbeats meanwhile ──▶ lost
 * ```
 *
 * One loop calls `enter` and `keep` in turn. `keep` runs two loops: one for the rounds, and one for heartbeats, which
 * continue while a round waits for other members or for tasks to stop.
 *
 * The coordinator gives the place of a member to others when its session has ended, or when it has not joined a round
 * within the time limit for that. The coordinator starts both timers when it receives a request of this member, so
 * `onConfirmed` counts from the moment before the request was sent. A new member with an unanswered join has no
 * session.
 */
export class GroupMember {
  readonly #options: GroupMemberOptions
  readonly #outage: Outage
  readonly #roundOutage: Outage
  readonly #rejoin = new Nudge()
  readonly #beat = new Nudge()
  /** Empty: the coordinator has assigned no id. */
  #memberId = ''
  /** The id of a membership that the coordinator has ended; empty if there is no such id. */
  #lostId = ''
  /** The generation of the last answered join with this member id; null before. */
  #generationId: number | null = null
  /** A join with this member id was sent before. */
  #hasJoined = false
  /** Heartbeats are frequent until this time. */
  #eagerUntilMs = 0
  /** The join that the coordinator has not answered yet. */
  #joining: Answer | null = null
  /** A round has begun and is not synchronized. */
  #isJoining = false
  /** When the join or the sync that is not answered yet was sent. */
  #waitingSinceMs = 0
  /** Before this moment no round began that this member has not joined. Null: the first join is not answered. */
  #joinedSince: Moment | null = null
  /** A round was completed with this member id. */
  #isSameMember = false

  constructor(options: GroupMemberOptions) {
    const { logger, clock, groupId } = options
    this.#options = options
    this.#outage = new Outage(logger, clock, `keeping the membership in group ${groupId}`, RETRY.maxMs)
    this.#roundOutage = new Outage(logger, clock, `joining group ${groupId}`, RETRY.maxMs)
  }

  get groupId(): string {
    return this.#options.groupId
  }

  /** Requests another round, because the member's part of the group has changed. */
  requestRound(): void {
    this.#rejoin.nudge()
  }

  /** Makes heartbeats frequent for a while, because the coordinator is about to begin a round. */
  expectRound(): void {
    this.#eagerUntilMs = this.#options.clock.monotonicMs() + EAGER_MS
    this.#beat.nudge()
  }

  /**
   * Becomes a member. Waits while the brokers are unreachable, and while the membership of a killed worker keeps this
   * one out. Resolves when the coordinator lists this member; `isAlone` if it lists nobody else. The first member of a
   * group leads it until the coordinator removes that member.
   *
   * @throws the refusal of `Occupants`, and for a new process an error of the broker that is not retriable
   */
  async enter({ isNew }: { readonly isNew: boolean }, signal: AbortSignal): Promise<{ readonly isAlone: boolean }> {
    const { clock, occupants } = this.#options
    const pauses = new BackOff(RETRY)
    for (;;) {
      try {
        const state = await this.#tryEnter(signal)
        this.#outage.reportSuccess()
        if (state === 'alone' || state === 'listed') {
          occupants.reset()
          return { isAlone: state === 'alone' }
        }
        if (state === 'conflict') await occupants.meet(signal)
        pauses.reset()
      } catch (error) {
        throwIfStopped(signal)
        // A worker with running tasks retries after other errors, too: a revoked permission may be granted again.
        if (isRefusal(error) || (isNew && !isRetriable(error))) throw error
        this.#outage.reportFailure(toError(error))
        await clock.sleep(pauses.next(), signal)
      }
    }
  }

  async #tryEnter(signal: AbortSignal): Promise<'alone' | 'listed' | 'conflict' | 'again'> {
    const { client, occupants, rounds } = this.#options
    if (this.#lostId !== '') {
      // A second member of this process would wait for the first.
      await client.leave(this.#lostId, signal)
      this.#lostId = ''
    }
    if (this.#memberId === '') {
      // An id alone is no membership, so this worker may request it before it has inspected the others.
      const [answer] = await Promise.all([client.join('', signal), occupants.inspect(signal)])
      if (answer.tag === 'conflict') return 'conflict'
      if (answer.tag !== 'id assigned') return 'again'
      this.#memberId = answer.memberId
    }
    await rounds.prepare(signal)
    const joining = this.#join(signal)
    for (;;) {
      if (joining.isSettled) {
        const answer = await joining.promise
        // Keep the answer for the first round.
        if (answer.tag === 'joined') return isOnlyMember(answer.group) ? 'alone' : 'listed'
        this.#forget()
        return answer.tag === 'conflict' ? 'conflict' : 'again'
      }
      const listed = joining.isFirst ? await this.#listed(signal) : null
      if (listed !== null) return listed
      await this.#untilSettled(joining, LISTED_CHECK_MS, signal)
    }
  }

  #join(signal: AbortSignal): Answer {
    const { client, clock } = this.#options
    const sent = momentOf(clock)
    const isFirst = !this.#hasJoined
    this.#hasJoined = true
    this.#isJoining = true
    this.#waitingSinceMs = sent.monotonicMs
    this.#joining = answerOf(client.join(this.#memberId, signal), sent, isFirst)
    return this.#joining
  }

  /** Whether the coordinator regards this process as a member, although it has not answered the first join. */
  async #listed(signal: AbortSignal): Promise<'alone' | 'listed' | null> {
    const { client, clock } = this.#options
    const since = momentOf(clock)
    const { state, members } = await client.describe(signal)
    if (!members.some(({ memberId }) => memberId === this.#memberId)) return null
    // A description confirms the place only while the round waits. It cannot renew the session of a completed round.
    if (state === 'PreparingRebalance') this.#confirm(since)
    return members.length === 1 ? 'alone' : 'listed'
  }

  /**
   * Takes part in the rounds and keeps the membership. Resolves when the coordinator has ended it; unreachable brokers
   * do not end it. Rejects with StoppedError, and with the refusal of a member that was never accepted.
   */
  async keep(signal: AbortSignal): Promise<void> {
    const { logger } = this.#options
    const end = new AbortController()
    const limit = AbortSignal.any([signal, end.signal])
    const untilEnd = async (loop: (limit: AbortSignal) => Promise<void>): Promise<void> => {
      try {
        await loop(limit)
      } catch (error) {
        if (!(error instanceof StoppedError)) throw error
      } finally {
        end.abort()
      }
    }
    const results = await Promise.allSettled([
      untilEnd((each) => this.#runHeartbeats(each)),
      untilEnd((each) => this.#runRounds(each)),
    ])
    for (const result of results) if (result.status === 'rejected') throw toError(result.reason)
    throwIfStopped(signal)
    logger.warn(`The coordinator has ended the membership of this worker in group ${this.groupId}`)
    this.#lostId = this.#memberId
    this.#forget()
  }

  async #runRounds(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const pauses = new BackOff(RETRY)
    for (;;) {
      try {
        this.#rejoin.clear()
        const outcome = await this.#round(signal)
        this.#roundOutage.reportSuccess()
        pauses.reset()
        if (outcome === 'lost') return
        if (outcome === 'done') await this.#rejoin.wait(signal)
      } catch (error) {
        throwIfStopped(signal)
        if (isRefusal(error) && this.#options.rounds.mayBeRefused) throw error
        this.#joining = null
        this.#roundOutage.reportFailure(toError(error))
        await clock.sleep(pauses.next(), signal)
      }
    }
  }

  async #round(signal: AbortSignal): Promise<'done' | 'again' | 'lost'> {
    const { rounds } = this.#options
    if (this.#joining === null) await rounds.prepare(signal)
    const joining = this.#joining ?? this.#join(signal)
    const answer = await doneOr(joining.promise, signal)
    this.#joining = null
    switch (answer.tag) {
      case 'joined':
        return this.#complete(answer.group, joining.sent, signal)
      case 'id assigned':
        this.#memberId = answer.memberId
        return 'again'
      case 'conflict':
      case 'unknown member':
        return 'lost'
    }
  }

  async #complete(group: JoinedGroup, joinSent: Moment, signal: AbortSignal): Promise<'done' | 'again' | 'lost'> {
    const { client, clock, rounds } = this.#options
    this.#memberId = group.memberId
    this.#generationId = group.generationId
    this.#joinedSince = joinSent
    const isLeader = group.leaderId === group.memberId
    const assignments = isLeader ? await rounds.assign(group, signal) : []
    const since = momentOf(clock)
    this.#waitingSinceMs = since.monotonicMs
    const { tag, assignment } = await client.sync(group, assignments, signal)
    if (tag === 'lost') return 'lost'
    if (tag !== 'alive') return 'again'
    const isAlone = isOnlyMember(group)
    const isContinuous = this.#isSameMember
    this.#isSameMember = true
    this.#isJoining = false
    this.#joinedSince = since
    this.#confirm(since)
    return rounds.take({ group, assignment, isLeader, isAlone, isContinuous }, signal)
  }

  async #runHeartbeats(signal: AbortSignal): Promise<void> {
    const { clock, heartbeatIntervalMs } = this.#options
    let pauseMs = heartbeatIntervalMs
    for (;;) {
      const isEager = clock.monotonicMs() < this.#eagerUntilMs
      await this.#beat.waitAtMost(clock, isEager ? Math.min(EAGER_BEAT_MS, pauseMs) : pauseMs, signal)
      try {
        const result = await this.#heartbeat(signal)
        this.#outage.reportSuccess()
        if (result === 'lost') return
        pauseMs = heartbeatIntervalMs
      } catch (error) {
        throwIfStopped(signal)
        // Somebody may correct the cause of any other error, too, such as a revoked permission.
        this.#outage.reportFailure(toError(error))
        pauseMs = Math.min(RETRY_HEARTBEAT_MS, heartbeatIntervalMs)
      }
    }
  }

  async #heartbeat(signal: AbortSignal): Promise<HeartbeatResult> {
    const { client, clock } = this.#options
    const generationId = this.#generationId
    if (generationId === null) return this.#firstHeartbeat(signal)
    const since = momentOf(clock)
    const result = await client.heartbeat({ memberId: this.#memberId, generationId }, signal)
    // The answer refers to a generation that a round has replaced meanwhile.
    if (this.#generationId !== generationId) return 'alive'
    if (result === 'alive' && !this.#isJoining) this.#joinedSince = since
    if (result === 'alive' || result === 'rebalancing') this.#confirm(since)
    // The round that has begun needs no other reason.
    if ((result === 'rebalancing' || result === 'stale') && !this.#isJoining) this.#rejoin.nudge()
    if ((result === 'alive' || result === 'stale') && this.#isOverdue(since)) await this.#interruptIfLost(signal)
    return result
  }

  #isOverdue(since: Moment): boolean {
    return this.#isJoining && since.monotonicMs - this.#waitingSinceMs >= this.#options.sessionTimeoutMs
  }

  /**
   * No round waits for other members, so the coordinator has not received the join, or its answer is lost. While it waits
   * for the assignments of the leader, the sync is not overdue.
   */
  async #interruptIfLost(signal: AbortSignal): Promise<void> {
    const { client } = this.#options
    const waitingSinceMs = this.#waitingSinceMs
    if (this.#joining === null && (await client.describe(signal)).state !== 'Stable') return
    if (!this.#isJoining || this.#waitingSinceMs !== waitingSinceMs) return
    client.interrupt('the coordinator has not answered a join, and waits for none')
  }

  /**
   * Describes the group instead of sending a heartbeat: while the first join is unanswered, heartbeats have no
   * generation. After an interrupted join a description proves nothing: the coordinator may have answered, and started
   * a session.
   */
  async #firstHeartbeat(signal: AbortSignal): Promise<HeartbeatResult> {
    const joining = this.#joining
    if (joining === null || joining.isSettled || !joining.isFirst) return 'alive'
    const listed = await this.#listed(signal)
    return listed === null && this.#joining === joining && !joining.isSettled ? 'lost' : 'alive'
  }

  #confirm(since: Moment): void {
    const { onConfirmed, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options
    const session = after(since, leaseMs(sessionTimeoutMs))
    const joined = this.#joinedSince === null ? session : after(this.#joinedSince, leaseMs(rebalanceTimeoutMs))
    onConfirmed({
      monotonicMs: Math.min(session.monotonicMs, joined.monotonicMs),
      wallMs: Math.min(session.wallMs, joined.wallMs),
    })
  }

  /** Leaves the group, so that the others can continue at once. */
  async leave(signal: AbortSignal): Promise<void> {
    const { client } = this.#options
    for (const id of new Set([this.#lostId, this.#memberId])) if (id !== '') await client.leave(id, signal)
    this.#lostId = ''
    this.#forget()
  }

  #forget(): void {
    this.#memberId = ''
    this.#generationId = null
    this.#hasJoined = false
    this.#joining = null
    this.#isJoining = false
    this.#joinedSince = null
    this.#isSameMember = false
  }

  async #untilSettled({ settled }: Answer, ms: number, signal: AbortSignal): Promise<void> {
    try {
      await withTimeout(this.#options.clock, ms, (limit) => doneOr(settled, limit), signal)
    } catch {
      throwIfStopped(signal)
    }
  }
}

function after({ monotonicMs, wallMs }: Moment, ms: number): Moment {
  return { monotonicMs: monotonicMs + ms, wallMs: wallMs + ms }
}

/** Only the leader knows the members. */
function isOnlyMember({ memberId, leaderId, members }: JoinedGroup): boolean {
  return leaderId === memberId && members.length === 1
}

/** The answer to a join, which may take long. */
interface Answer {
  readonly promise: Promise<JoinResult>
  /** Resolves when the promise is settled, and never rejects. */
  readonly settled: Promise<void>
  readonly isSettled: boolean
  readonly sent: Moment
  /** No join with the same member id was sent before. */
  readonly isFirst: boolean
}

function answerOf(promise: Promise<JoinResult>, sent: Moment, isFirst: boolean): Answer {
  const answer = {
    promise,
    sent,
    isFirst,
    isSettled: false,
    settled: promise.then(
      () => void (answer.isSettled = true),
      () => void (answer.isSettled = true),
    ),
  }
  return answer
}

/**
 * How long after a confirmed request this member certainly keeps its place: a part of the coordinator's time limit. The
 * rest is a margin for a thread that is interrupted between its check of the lease and its write.
 */
export function leaseMs(timeoutMs: number): number {
  return Math.floor(timeoutMs * LEASE_SHARE)
}

const LEASE_SHARE = 0.8

const RETRY = { initialMs: 50, maxMs: 2_000 } as const
const RETRY_HEARTBEAT_MS = 500
/** A worker that stops leaves the group some hundred milliseconds after it has given up its work. */
const EAGER_MS = 2_000
const EAGER_BEAT_MS = 100
/** Between two descriptions until the coordinator lists the member, which takes it a few milliseconds. */
const LISTED_CHECK_MS = 10
