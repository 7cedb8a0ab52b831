import { present } from '@tributary/support'
import { ErrorCode } from '../protocol/error-code.ts'
import type { QueuedTimer, TimerQueue } from '../timers/timer-queue.ts'
import { metadataFor, type GroupMember, type JoinAnswer, type JoinedGroup } from './group-member.ts'

export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable'

const NO_ASSIGNMENT = Buffer.alloc(0)

/**
 * The members of a group and its rebalances (classic protocol).
 *
 *            join, leave, lost member               all joined, or time-out          assignments of the leader
 *     Empty ───────────────────────▶ PreparingRebalance ───────────────▶ CompletingRebalance ─────▶ Stable
 *       ▲                              ▲      │ no member left              │                        │
 *       └──────────────────────────────┼──────┘                             │                        │
 *                                      └────────────────────────────────────┴────────────────────────┘
 */
export class Group {
  readonly groupId: string
  readonly members: Map<string, GroupMember> = new Map()
  /** Ids that were given to members that have not joined with them yet, and when they are forgotten. */
  readonly pendingIds: Map<string, QueuedTimer> = new Map()
  protocolType = ''
  protocolName: string | null = null
  generationId = 0
  leader: string | null = null
  state: GroupState = 'Empty'
  readonly #timers: TimerQueue
  #joinDeadline: QueuedTimer | null = null
  #syncDeadline: QueuedTimer | null = null

  constructor(groupId: string, timers: TimerQueue) {
    this.groupId = groupId
    this.#timers = timers
  }

  byInstance(groupInstanceId: string): GroupMember | undefined {
    for (const member of this.members.values()) if (member.groupInstanceId === groupInstanceId) return member
    return undefined
  }

  /** Whether a member with these protocols can be in the group. */
  accepts(protocolType: string, names: readonly string[]): boolean {
    if (protocolType === '' || names.length === 0) return false
    if (this.members.size === 0) return true
    return protocolType === this.protocolType && names.some((name) => this.#allSupport(name))
  }

  add(member: GroupMember, protocolType: string): void {
    if (this.members.size === 0) this.protocolType = protocolType
    this.leader ??= member.memberId
    this.members.set(member.memberId, member)
  }

  /** Removes a member and begins a rebalance if the others have to share its work. */
  remove(member: GroupMember, nowMs: number): void {
    this.#forget(member)
    member.joining?.({ errorCode: ErrorCode.UNKNOWN_MEMBER_ID, memberId: member.memberId, group: null })
    member.syncing?.({ errorCode: ErrorCode.UNKNOWN_MEMBER_ID, assignment: NO_ASSIGNMENT })
    if (this.state === 'Stable' || this.state === 'CompletingRebalance') this.prepareRebalance(nowMs)
    else if (this.state === 'PreparingRebalance') this.completeJoinIfAll(nowMs)
  }

  #forget(member: GroupMember): void {
    member.session?.cancel()
    this.members.delete(member.memberId)
    if (this.leader === member.memberId) this.leader = this.members.keys().next().value ?? null
  }

  /** Restarts the session of a member after a request. A member whose session expires is removed. */
  keepAlive(member: GroupMember, nowMs: number): void {
    member.session?.cancel()
    member.session = this.#timers.at(nowMs + member.sessionTimeoutMs, (dueMs) => {
      // A member that waits for an answer sends no heartbeats.
      if (member.joining !== null || member.syncing !== null) this.keepAlive(member, dueMs)
      else this.remove(member, dueMs)
    })
  }

  prepareRebalance(nowMs: number): void {
    if (this.state === 'CompletingRebalance') {
      for (const member of this.members.values()) {
        member.assignment = NO_ASSIGNMENT
        this.answerSync(member, ErrorCode.REBALANCE_IN_PROGRESS, nowMs)
      }
    }
    this.#syncDeadline?.cancel()
    this.state = 'PreparingRebalance'
    const timeoutMs = Math.max(0, ...Array.from(this.members.values(), ({ rebalanceTimeoutMs }) => rebalanceTimeoutMs))
    this.#joinDeadline?.cancel()
    this.#joinDeadline = this.#timers.at(nowMs + timeoutMs, (dueMs) => this.#completeJoin(dueMs))
    this.completeJoinIfAll(nowMs)
  }

  completeJoinIfAll(nowMs: number): void {
    if (this.state !== 'PreparingRebalance' || this.pendingIds.size > 0) return
    for (const member of this.members.values()) if (member.joining === null) return
    this.#completeJoin(nowMs)
  }

  #completeJoin(nowMs: number): void {
    this.#joinDeadline?.cancel()
    for (const member of this.members.values()) {
      // A static member keeps its place until its session ends.
      if (member.joining === null && member.groupInstanceId === null) this.#forget(member)
    }
    const leader = this.leader === null ? undefined : this.members.get(this.leader)
    if (leader?.joining === null || leader === undefined) {
      const joined = [...this.members.values()].find(({ joining }) => joining !== null)
      if (joined !== undefined) this.leader = joined.memberId
    }
    this.generationId++
    if (this.members.size === 0) {
      this.state = 'Empty'
      this.protocolName = null
      this.leader = null
      return
    }
    this.protocolName = this.#chooseProtocol()
    this.state = 'CompletingRebalance'
    for (const member of this.members.values()) {
      if (member.joining === null) continue
      this.answerJoin(member, this.joined(member), nowMs)
    }
    const timeoutMs = Math.max(0, ...Array.from(this.members.values(), ({ rebalanceTimeoutMs }) => rebalanceTimeoutMs))
    this.#syncDeadline = this.#timers.at(nowMs + timeoutMs, (dueMs) => this.#expireSync(dueMs))
  }

  /** Members that have not asked for their assignment in time are removed. */
  #expireSync(nowMs: number): void {
    if (this.state !== 'CompletingRebalance') return
    for (const member of this.members.values()) if (member.syncing === null) this.#forget(member)
    this.prepareRebalance(nowMs)
  }

  joined(member: GroupMember, skipAssignment: boolean = false): JoinedGroup {
    const protocolName = present(this.protocolName, 'the protocol of a group with members')
    const isLeader = member.memberId === this.leader
    const members = Array.from(this.members.values(), (each) => ({
      memberId: each.memberId,
      groupInstanceId: each.groupInstanceId,
      metadata: metadataFor(each, protocolName),
    }))
    return {
      generationId: this.generationId,
      protocolType: this.protocolType,
      protocolName,
      leader: this.leader ?? '',
      members: isLeader ? members : [],
      skipAssignment,
    }
  }

  answerJoin(member: GroupMember, group: JoinedGroup | null, nowMs: number): void {
    const { joining } = member
    member.joining = null
    this.keepAlive(member, nowMs)
    const answer: JoinAnswer = { errorCode: ErrorCode.NONE, memberId: member.memberId, group }
    joining?.(answer)
  }

  answerSync(member: GroupMember, errorCode: number, nowMs: number): void {
    const { syncing } = member
    if (syncing === null) return
    member.syncing = null
    this.keepAlive(member, nowMs)
    syncing({ errorCode, assignment: errorCode === ErrorCode.NONE ? member.assignment : NO_ASSIGNMENT })
  }

  /** The leader has sent the assignments. */
  assign(assignments: ReadonlyMap<string, Buffer>, nowMs: number): void {
    this.#syncDeadline?.cancel()
    this.state = 'Stable'
    for (const member of this.members.values()) {
      member.assignment = assignments.get(member.memberId) ?? NO_ASSIGNMENT
      this.answerSync(member, ErrorCode.NONE, nowMs)
    }
  }

  /** Each member votes for the first of its protocols that all support. */
  #chooseProtocol(): string {
    const votes = new Map<string, number>()
    for (const member of this.members.values()) {
      const vote = member.protocols.find(({ name }) => this.#allSupport(name))
      if (vote !== undefined) votes.set(vote.name, (votes.get(vote.name) ?? 0) + 1)
    }
    const [first] = [...votes].toSorted(([, a], [, b]) => b - a)
    return present(first, 'a protocol that all members support')[0]
  }

  #allSupport(protocol: string): boolean {
    for (const { protocols } of this.members.values()) {
      if (!protocols.some(({ name }) => name === protocol)) return false
    }
    return true
  }
}
