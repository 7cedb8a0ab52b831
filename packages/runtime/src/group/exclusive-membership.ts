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
import { isRefusal, type Occupants } from './occupants.ts'

export interface ExclusiveMembershipOptions {
  readonly client: GroupClient
  readonly groupId: string
  readonly occupants: Occupants
  readonly heartbeatIntervalMs: number
  /** The coordinator has confirmed the membership after that moment. */
  readonly onConfirmed: (since: Moment) => void
  readonly clock: Clock
  readonly logger: Logger
}

export interface EnterOptions {
  /**
   * False: being listed by the coordinator is enough. True: the join is complete, so that the generation is known.
   */
  readonly isComplete: boolean
  /** Another member keeps this one out. Called once, before the wait for its end. */
  readonly onConflict?: () => void
}

/**
 * Membership in a group that has only one member at a time: the client offers a protocol that no other process offers,
 * so the coordinator refuses everyone else as long as this one is a member, and refuses this one while there is
 * another. The decision is atomic and the coordinator's own; nobody has to resign.
 *
 * ```
 *             ┌───── refused: wait for its end ◀────┐
 *             ▼                                     │
 *  enter ── join ──▶ listed ──▶ joined, synced ──▶ heartbeats ──▶ lost
 *                    └── a member already ──────────────────┘
 * ```
 *
 * One loop calls `enter` and `keep` in turn.
 */
export class ExclusiveMembership {
  readonly #options: ExclusiveMembershipOptions
  readonly #outage: Outage
  /** Empty: none is assigned. */
  #memberId = ''
  /** The id of a membership that the coordinator has ended, or whose generation is wrong. Empty: none. */
  #lostId = ''
  /** Whether the coordinator has regarded this process as a member without interruption since the last generation. */
  #isSameMember = false
  #generationId: number | null = null
  /** The join that the coordinator has not answered yet. */
  #joining: Answer | null = null
  /** Whether this process was the only member since the generation before the last join. */
  #isContinuous = false

  constructor(options: ExclusiveMembershipOptions) {
    const { logger, clock, groupId } = options
    this.#options = options
    this.#outage = new Outage(logger, clock, `keeping the membership in group ${groupId}`, RETRY.maxMs)
  }

  get groupId(): string {
    return this.#options.groupId
  }

  /**
   * Becomes the member. Waits while the brokers are unreachable, and for the end of a killed worker's membership.
   * Resolves with whether nobody else was a member since this process was one.
   *
   * @throws the refusal of `Occupants`, or, unless `isComplete`, an error of the broker that is not retriable
   */
  async enter({ isComplete, onConflict }: EnterOptions, signal: AbortSignal): Promise<boolean> {
    const { clock, occupants } = this.#options
    const pauses = new BackOff(RETRY)
    let hasConflict = false
    for (;;) {
      try {
        const state = await this.#tryEnter(isComplete, signal)
        this.#outage.reportSuccess()
        if (state === 'member') {
          occupants.reset()
          return this.#isContinuous
        }
        if (state === 'conflict') {
          if (!hasConflict) onConflict?.()
          hasConflict = true
          await occupants.meet(signal)
        }
        pauses.reset()
      } catch (error) {
        throwIfStopped(signal)
        // A worker with running tasks outlives other errors, too: a revoked permission may be granted again.
        if (isRefusal(error) || !(isComplete || isRetriable(error))) throw error
        this.#outage.reportFailure(toError(error))
        await clock.sleep(pauses.next(), signal)
      }
    }
  }

  async #tryEnter(isComplete: boolean, signal: AbortSignal): Promise<'member' | 'conflict' | 'again'> {
    const { client, clock } = this.#options
    if (this.#lostId !== '') {
      // Still a member if only the generation was wrong. A second one of this process would wait for the first.
      await client.leave(this.#lostId, signal)
      this.#lostId = ''
    }
    if (this.#memberId === '') {
      const answer = await client.join('', signal)
      if (answer.tag !== 'id assigned') return this.#onAnswer(answer, signal)
      this.#memberId = answer.memberId
      this.#isSameMember = false
    }
    const joining = answerOf(client.join(this.#memberId, signal))
    for (;;) {
      if (joining.isSettled) return this.#onAnswer(await joining.promise, signal)
      if (!isComplete && (await this.#isListed(signal))) {
        this.#joining = joining
        return 'member'
      }
      await this.#untilSettled(joining, clock, isComplete ? COMPLETE_CHECK_MS : LISTED_CHECK_MS, signal)
    }
  }

  /** Whether the coordinator regards this process as the member, although it has not answered the join. */
  async #isListed(signal: AbortSignal): Promise<boolean> {
    const { client, clock, onConfirmed } = this.#options
    const since = momentOf(clock)
    const { members } = await client.describe(signal)
    const isOnly = members.length === 1 && members[0]?.memberId === this.#memberId
    if (isOnly) onConfirmed(since)
    return isOnly
  }

  async #onAnswer(answer: JoinResult, signal: AbortSignal): Promise<'member' | 'conflict' | 'again'> {
    switch (answer.tag) {
      case 'joined':
        return this.#sync(answer.group, signal)
      case 'conflict':
        this.#forget()
        return 'conflict'
      case 'id assigned':
        this.#memberId = answer.memberId
        return 'again'
      case 'unknown member':
        this.#forget()
        return 'again'
    }
  }

  async #sync(group: JoinedGroup, signal: AbortSignal): Promise<'member' | 'again'> {
    const { client, clock, onConfirmed } = this.#options
    const since = momentOf(clock)
    const assignments = [{ memberId: group.memberId, assignment: Buffer.alloc(0) }]
    const { tag } = await client.sync(group, assignments, signal)
    if (tag === 'lost') this.#forget()
    if (tag !== 'alive') return 'again'
    const before = this.#generationId
    this.#isContinuous = before !== null && (this.#isSameMember || group.generationId === before + REJOINED)
    this.#isSameMember = true
    this.#memberId = group.memberId
    this.#generationId = group.generationId
    onConfirmed(since)
    return 'member'
  }

  /**
   * Keeps the membership. Resolves when the coordinator has ended it; unreachable brokers do not end it. Rejects with
   * StoppedError.
   */
  async keep(signal: AbortSignal): Promise<void> {
    const { clock, logger, heartbeatIntervalMs } = this.#options
    let pauseMs = heartbeatIntervalMs
    for (;;) {
      if (this.#joining === null) await clock.sleep(pauseMs, signal)
      else await this.#untilSettled(this.#joining, clock, pauseMs, signal)
      try {
        const result = await this.#confirm(signal)
        this.#outage.reportSuccess()
        pauseMs = heartbeatIntervalMs
        if (result !== 'lost') continue
        logger.warn(`The coordinator has ended the membership of this worker in group ${this.groupId}`)
        this.#lostId = this.#memberId
        this.#forget()
        return
      } catch (error) {
        if (error instanceof StoppedError) throw error
        // An error that is not retriable, such as a revoked permission, may be repaired, too.
        this.#outage.reportFailure(toError(error))
        pauseMs = Math.min(RETRY_HEARTBEAT_MS, heartbeatIntervalMs)
      }
    }
  }

  async #confirm(signal: AbortSignal): Promise<HeartbeatResult> {
    const { client, clock, onConfirmed } = this.#options
    // An interrupted join is repeated with the same id: another one would be a second member.
    if (!this.#isSameMember) this.#joining ??= answerOf(client.join(this.#memberId, signal))
    const joining = this.#joining
    if (joining !== null) {
      if (!joining.isSettled) return (await this.#isListed(signal)) ? 'alive' : 'lost'
      this.#joining = null
      return (await this.#onAnswer(await joining.promise, signal)) === 'member' ? 'alive' : 'lost'
    }
    const since = momentOf(clock)
    const result = await client.heartbeat({ memberId: this.#memberId, generationId: this.#generationId ?? -1 }, signal)
    if (result === 'lost') return 'lost'
    onConfirmed(since)
    if (result === 'alive') return 'alive'
    return (await this.#onAnswer(await client.join(this.#memberId, signal), signal)) === 'member' ? 'alive' : 'lost'
  }

  /** Leaves, so that another worker may join at once. */
  async leave(signal: AbortSignal): Promise<void> {
    const { client } = this.#options
    for (const id of new Set([this.#lostId, this.#memberId])) if (id !== '') await client.leave(id, signal)
    this.#lostId = ''
    this.#forget()
  }

  #forget(): void {
    this.#memberId = ''
    this.#isSameMember = false
    this.#joining = null
  }

  async #untilSettled({ settled }: Answer, clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    try {
      await withTimeout(clock, ms, (limit) => doneOr(settled, limit), signal)
    } catch {
      throwIfStopped(signal)
    }
  }
}

/** The answer to a join, which may take long. */
interface Answer {
  readonly promise: Promise<JoinResult>
  /** Resolves when the promise is settled, and never rejects. */
  readonly settled: Promise<void>
  readonly isSettled: boolean
}

function answerOf(promise: Promise<JoinResult>): Answer {
  const answer = {
    promise,
    isSettled: false,
    settled: promise.then(
      () => void (answer.isSettled = true),
      () => void (answer.isSettled = true),
    ),
  }
  return answer
}

/**
 * What an expired member adds to the generation when it joins again: the group without members is a generation, too.
 * Any other member in between would add more.
 */
const REJOINED = 2

const RETRY = { initialMs: 50, maxMs: 2_000 } as const
const RETRY_HEARTBEAT_MS = 500
/** Between two descriptions until the coordinator lists the member, which takes it a few milliseconds. */
const LISTED_CHECK_MS = 10
const COMPLETE_CHECK_MS = 1_000
