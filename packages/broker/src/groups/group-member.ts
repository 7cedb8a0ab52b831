import type { QueuedTimer } from '../timers/timer-queue.ts'

export interface MemberProtocol {
  readonly name: string
  readonly metadata: Buffer
}

/** What a join is answered with. */
export interface JoinAnswer {
  readonly errorCode: number
  readonly memberId: string
  /** Null: no protocol was chosen. */
  readonly group: JoinedGroup | null
}

export interface JoinedGroup {
  readonly generationId: number
  readonly protocolType: string
  readonly protocolName: string
  readonly leader: string
  /** For the leader only; otherwise empty. */
  readonly members: readonly {
    readonly memberId: string
    readonly groupInstanceId: string | null
    readonly metadata: Buffer
  }[]
  readonly skipAssignment: boolean
}

export interface SyncAnswer {
  readonly errorCode: number
  readonly assignment: Buffer
}

export interface GroupMember {
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly clientId: string
  readonly clientHost: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  protocols: readonly MemberProtocol[]
  assignment: Buffer
  /** A join that waits for the others. */
  joining: ((answer: JoinAnswer) => void) | null
  /** A sync that waits for the assignments of the leader. */
  syncing: ((answer: SyncAnswer) => void) | null
  session: QueuedTimer | null
}

export function sameProtocols(one: readonly MemberProtocol[], other: readonly MemberProtocol[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, metadata }, i) => other[i]?.name === name && other[i].metadata.equals(metadata))
  )
}

export function metadataFor(member: GroupMember, protocol: string): Buffer {
  return member.protocols.find(({ name }) => name === protocol)?.metadata ?? Buffer.alloc(0)
}
