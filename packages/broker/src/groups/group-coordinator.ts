import { ErrorCode } from '../protocol/error-code.ts'
import type { TimerQueue } from '../timers/timer-queue.ts'
import { Group } from './group.ts'
import { sameProtocols } from './group-member.ts'
import type { GroupMember, JoinAnswer, MemberProtocol, SyncAnswer } from './group-member.ts'

export interface JoinCall {
  readonly groupId: string
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly protocolType: string
  readonly protocols: readonly MemberProtocol[]
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  readonly clientId: string
  readonly clientHost: string
  /** The first join only yields a member id (JoinGroup 4 and later). */
  readonly needsKnownId: boolean
}

export interface MemberCall {
  readonly groupId: string
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null
}

export interface SyncCall extends MemberCall {
  readonly protocolType: string | null
  readonly protocolName: string | null
  readonly assignments: ReadonlyMap<string, Buffer>
}

/** Limits of Kafka's defaults (group.min.session.timeout.ms, group.max.session.timeout.ms). */
const SESSION_TIMEOUT_MIN_MS = 6_000
const SESSION_TIMEOUT_MAX_MS = 1_800_000

/** The groups and the requests of their members. */
export class GroupCoordinator {
  readonly #groups = new Map<string, Group>()
  readonly #timers: TimerQueue
  readonly #newUuid: () => string

  constructor(timers: TimerQueue, newUuid: () => string) {
    this.#timers = timers
    this.#newUuid = newUuid
  }

  get all(): Iterable<Group> {
    return this.#groups.values()
  }

  get(groupId: string): Group | undefined {
    return this.#groups.get(groupId)
  }

  /** A group with committed offsets exists, also without members. */
  ensure(groupId: string): void {
    if (!this.#groups.has(groupId)) this.#groups.set(groupId, new Group(groupId, this.#timers))
  }

  delete(groupId: string): void {
    this.#groups.delete(groupId)
  }

  /** Answers at once or when the rebalance ends. */
  join(call: JoinCall, nowMs: number, answer: (answer: JoinAnswer) => void): void {
    const fail = (errorCode: number, memberId: string = call.memberId): void =>
      answer({ errorCode, memberId, group: null })
    const { groupId, sessionTimeoutMs, memberId } = call
    if (groupId === '') return fail(ErrorCode.INVALID_GROUP_ID)
    if (sessionTimeoutMs < SESSION_TIMEOUT_MIN_MS || sessionTimeoutMs > SESSION_TIMEOUT_MAX_MS) {
      return fail(ErrorCode.INVALID_SESSION_TIMEOUT)
    }
    let group = this.#groups.get(groupId)
    if (group === undefined) {
      if (memberId !== '') return fail(ErrorCode.UNKNOWN_MEMBER_ID)
      group = new Group(groupId, this.#timers)
      this.#groups.set(groupId, group)
    }
    const names = call.protocols.map(({ name }) => name)
    if (!group.accepts(call.protocolType, names)) return fail(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if (memberId === '') return this.#joinNew(group, call, nowMs, answer)
    return this.#joinAgain(group, call, nowMs, answer)
  }

  #joinNew(group: Group, call: JoinCall, nowMs: number, answer: (answer: JoinAnswer) => void): void {
    const { groupInstanceId, clientId, sessionTimeoutMs } = call
    const memberId = `${groupInstanceId ?? clientId}-${this.#newUuid()}`
    if (groupInstanceId !== null) {
      const earlier = group.byInstance(groupInstanceId)
      if (earlier !== undefined) return this.#replaceStatic(group, earlier, { ...call, memberId }, { nowMs, answer })
    } else if (call.needsKnownId) {
      const forget = this.#timers.at(nowMs + sessionTimeoutMs, (dueMs) => {
        group.pendingIds.delete(memberId)
        group.completeJoinIfAll(dueMs)
      })
      group.pendingIds.set(memberId, forget)
      return answer({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, memberId, group: null })
    }
    return addAndRebalance(group, { ...call, memberId }, { nowMs, answer })
  }

  /** A static member has restarted: it takes the place of its earlier self. */
  #replaceStatic(group: Group, earlier: GroupMember, call: JoinCall, { nowMs, answer }: Pending): void {
    const isLeader = group.leader === earlier.memberId
    const isUnchanged = sameProtocols(earlier.protocols, call.protocols)
    earlier.session?.cancel()
    earlier.joining?.({ errorCode: ErrorCode.FENCED_INSTANCE_ID, memberId: earlier.memberId, group: null })
    earlier.syncing?.({ errorCode: ErrorCode.FENCED_INSTANCE_ID, assignment: Buffer.alloc(0) })
    group.members.delete(earlier.memberId)
    const member = memberOf(call, answer)
    member.assignment = earlier.assignment
    group.members.set(member.memberId, member)
    if (isLeader) group.leader = member.memberId
    if (group.state === 'Stable' && isUnchanged) {
      return group.answerJoin(member, group.joined(member, isLeader), nowMs)
    }
    return rejoin(group, nowMs)
  }

  #joinAgain(group: Group, call: JoinCall, nowMs: number, answer: (answer: JoinAnswer) => void): void {
    const { memberId, groupInstanceId, protocols } = call
    const pending = group.pendingIds.get(memberId)
    if (pending !== undefined) {
      pending.cancel()
      group.pendingIds.delete(memberId)
      return addAndRebalance(group, call, { nowMs, answer })
    }
    const problem = problemOfMember(group, memberId, groupInstanceId)
    const member = group.members.get(memberId)
    if (problem !== ErrorCode.NONE || member === undefined) {
      return answer({ errorCode: problem, memberId, group: null })
    }
    const isUnchanged = sameProtocols(member.protocols, protocols)
    member.protocols = protocols
    member.joining = answer
    if (group.state === 'PreparingRebalance') return group.completeJoinIfAll(nowMs)
    // The leader joins again to begin a rebalance; another member may only have missed its answer.
    const isRepeated = isUnchanged && (group.state === 'CompletingRebalance' || group.leader !== memberId)
    if (isRepeated) return group.answerJoin(member, group.joined(member), nowMs)
    return group.prepareRebalance(nowMs)
  }

  sync(call: SyncCall, nowMs: number, answer: (answer: SyncAnswer) => void): void {
    const fail = (errorCode: number): void => answer({ errorCode, assignment: Buffer.alloc(0) })
    const { group, member, errorCode } = this.#find(call)
    if (errorCode !== ErrorCode.NONE || group === undefined || member === undefined) return fail(errorCode)
    const isOtherType = call.protocolType !== null && call.protocolType !== group.protocolType
    const isOtherName = call.protocolName !== null && call.protocolName !== group.protocolName
    if (isOtherType || isOtherName) return fail(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    switch (group.state) {
      case 'Empty':
        return fail(ErrorCode.UNKNOWN_MEMBER_ID)
      case 'PreparingRebalance':
        return fail(ErrorCode.REBALANCE_IN_PROGRESS)
      case 'CompletingRebalance':
        member.syncing = answer
        if (group.leader === member.memberId) group.assign(call.assignments, nowMs)
        return
      case 'Stable':
        member.syncing = answer
        return group.answerSync(member, ErrorCode.NONE, nowMs)
    }
  }

  heartbeat(call: MemberCall, nowMs: number): number {
    const { group, member, errorCode } = this.#find(call)
    if (errorCode !== ErrorCode.NONE || group === undefined || member === undefined) return errorCode
    group.keepAlive(member, nowMs)
    return group.state === 'PreparingRebalance' ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE
  }

  /** Returns the error code of one member that leaves. */
  leave(groupId: string, memberId: string, groupInstanceId: string | null, nowMs: number): number {
    const group = this.#groups.get(groupId)
    if (group === undefined) return ErrorCode.UNKNOWN_MEMBER_ID
    const pending = group.pendingIds.get(memberId)
    if (pending !== undefined) {
      pending.cancel()
      group.pendingIds.delete(memberId)
      group.completeJoinIfAll(nowMs)
      return ErrorCode.NONE
    }
    const isByInstance = memberId === '' && groupInstanceId !== null
    const member = isByInstance ? group.byInstance(groupInstanceId) : group.members.get(memberId)
    if (!isByInstance) {
      const problem = problemOfMember(group, memberId, groupInstanceId)
      if (problem !== ErrorCode.NONE) return problem
    }
    if (member === undefined) return ErrorCode.UNKNOWN_MEMBER_ID
    group.remove(member, nowMs)
    return ErrorCode.NONE
  }

  /** Whether the member may commit offsets. Without a generation the group must not have members. */
  checkCommit(call: MemberCall, nowMs: number): number {
    const { generationId, groupId, memberId, groupInstanceId } = call
    const group = this.#groups.get(groupId)
    if (group === undefined) return generationId < 0 ? ErrorCode.NONE : ErrorCode.ILLEGAL_GENERATION
    if (generationId < 0 && group.state === 'Empty') return ErrorCode.NONE
    if (generationId >= 0 || memberId !== '' || groupInstanceId !== null) {
      const { member, errorCode } = this.#find(call)
      if (errorCode !== ErrorCode.NONE) return errorCode
      if (group.state === 'CompletingRebalance') return ErrorCode.REBALANCE_IN_PROGRESS
      if (member !== undefined) group.keepAlive(member, nowMs)
      return ErrorCode.NONE
    }
    return ErrorCode.UNKNOWN_MEMBER_ID
  }

  #find({ groupId, memberId, groupInstanceId, generationId }: MemberCall): {
    readonly group?: Group
    readonly member?: GroupMember
    readonly errorCode: number
  } {
    const group = this.#groups.get(groupId)
    if (group === undefined) return { errorCode: ErrorCode.UNKNOWN_MEMBER_ID }
    const errorCode = problemOfMember(group, memberId, groupInstanceId)
    const member = group.members.get(memberId)
    if (errorCode !== ErrorCode.NONE || member === undefined) return { errorCode }
    if (generationId !== group.generationId) return { errorCode: ErrorCode.ILLEGAL_GENERATION }
    return { group, member, errorCode: ErrorCode.NONE }
  }
}

interface Pending {
  readonly nowMs: number
  readonly answer: (answer: JoinAnswer) => void
}

function problemOfMember(group: Group, memberId: string, groupInstanceId: string | null): number {
  if (groupInstanceId !== null) {
    const owner = group.byInstance(groupInstanceId)
    if (owner === undefined) return ErrorCode.UNKNOWN_MEMBER_ID
    return owner.memberId === memberId ? ErrorCode.NONE : ErrorCode.FENCED_INSTANCE_ID
  }
  return group.members.has(memberId) ? ErrorCode.NONE : ErrorCode.UNKNOWN_MEMBER_ID
}

function memberOf(call: JoinCall, joining: (answer: JoinAnswer) => void): GroupMember {
  const { memberId, groupInstanceId, clientId, clientHost, sessionTimeoutMs, protocols } = call
  return {
    memberId,
    groupInstanceId,
    clientId,
    clientHost,
    sessionTimeoutMs,
    rebalanceTimeoutMs: call.rebalanceTimeoutMs < 0 ? sessionTimeoutMs : call.rebalanceTimeoutMs,
    protocols,
    assignment: Buffer.alloc(0),
    joining,
    syncing: null,
    session: null,
  }
}

function addAndRebalance(group: Group, call: JoinCall, { nowMs, answer }: Pending): void {
  const member = memberOf(call, answer)
  group.add(member, call.protocolType)
  group.keepAlive(member, nowMs)
  rejoin(group, nowMs)
}

function rejoin(group: Group, nowMs: number): void {
  if (group.state === 'PreparingRebalance') group.completeJoinIfAll(nowMs)
  else group.prepareRebalance(nowMs)
}
