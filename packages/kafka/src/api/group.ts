export interface GroupOptions {
  readonly groupId: string
  /** What kind of group it is: `connect` for workers of Kafka Connect, `consumer` for consumers. */
  readonly protocolType: string
  /**
   * The names under which this member understands assignments, each with the metadata that the leader gets. The
   * coordinator refuses a member that shares no name with all others in the group. A function is called for each join:
   * the metadata may report what the member does at that moment.
   */
  readonly protocols: readonly GroupProtocol[] | (() => readonly GroupProtocol[])
  /** The coordinator removes a member from which it has heard nothing for so long. */
  readonly sessionTimeoutMs: number
  /** How long the coordinator waits in a rebalance for the members that it knows. */
  readonly rebalanceTimeoutMs: number
  /** How long a request may stay unanswered, except for a join, which waits for the other members. */
  readonly requestTimeoutMs: number
  /** The name of the member in the descriptions of the group. Default: that of the client. */
  readonly clientId?: string
}

export interface GroupProtocol {
  readonly name: string
  readonly metadata: Buffer
}

export interface GroupMember {
  readonly memberId: string
  readonly clientId: string
  /** The address from which the member has joined. */
  readonly host: string
  /** Empty while the members are joining. */
  readonly metadata: Buffer
}

export interface GroupDescription {
  /** As Kafka names it: `Empty`, `PreparingRebalance`, `CompletingRebalance`, `Stable`, `Dead`. */
  readonly state: string
  readonly protocolType: string
  readonly members: readonly GroupMember[]
}

export interface JoinedGroup {
  readonly memberId: string
  readonly generationId: number
  readonly leaderId: string
  /** The protocol that the coordinator has chosen. */
  readonly protocol: string
  /** All members with their metadata, for the leader only. */
  readonly members: readonly { readonly memberId: string; readonly metadata: Buffer }[]
}

export type JoinResult =
  | { readonly tag: 'joined'; readonly group: JoinedGroup }
  /** The coordinator has assigned this id: join again with it. */
  | { readonly tag: 'id assigned'; readonly memberId: string }
  /** The group has members of another kind, or members with none of these protocols. The group is unchanged. */
  | { readonly tag: 'conflict' }
  /** The coordinator does not know the member id (any more): join again without one. */
  | { readonly tag: 'unknown member' }

/**
 * - `alive`: the coordinator regards this process as a member of that generation.
 * - `rebalancing`: it is a member, and has to join again.
 * - `stale`: it is a member of another generation, because it has not received the answer to its last join.
 * - `lost`: the coordinator has removed it.
 */
export type HeartbeatResult = 'alive' | 'rebalancing' | 'stale' | 'lost'

/**
 * One group at its coordinator, with connections of its own. Each call makes one attempt and rejects with the error of
 * the network or of the broker. After a retriable error of any call, the next one looks for the coordinator again, and a
 * join or sync that still waits for the former coordinator fails, too.
 */
export interface GroupClient extends AsyncDisposable {
  /** Finds the coordinator and opens the connections to it, so that no later call waits for them. */
  connect(signal?: AbortSignal): Promise<void>
  describe(signal?: AbortSignal): Promise<GroupDescription>
  /**
   * Joins the group, first without a member id (empty) and then with the assigned one. Resolves when all members have
   * joined, which in an empty group takes `group.initial.rebalance.delay.ms` of the brokers. The coordinator regards
   * the member as one before that: `describe` lists it.
   */
  join(memberId: string, signal?: AbortSignal): Promise<JoinResult>
  /**
   * Ends the join. The leader passes the assignments of all members. Resolves with the assignment of this member, when
   * the leader has passed them; heartbeats are answered meanwhile.
   */
  sync(
    group: JoinedGroup,
    assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[],
    signal?: AbortSignal,
  ): Promise<{ readonly tag: HeartbeatResult; readonly assignment: Buffer }>
  heartbeat(group: Pick<JoinedGroup, 'memberId' | 'generationId'>, signal?: AbortSignal): Promise<HeartbeatResult>
  /**
   * Ends the connection on which a join or a sync waits, so that the request fails with a retriable error. Call it when
   * no answer can come: the network reports a dead connection only after minutes.
   */
  interrupt(reason: string): void
  /** Removes a member, this one or another, at once. The id of no member is no error. */
  leave(memberId: string, signal?: AbortSignal): Promise<void>
}
