import {
  describeGroupsV4,
  findCoordinatorV2,
  heartbeatV3,
  joinGroupV5,
  leaveGroupV3,
  syncGroupV3,
  type API,
} from '@platformatic/kafka'
import { doneOr, isRetriable, present, toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type {
  GroupClient,
  GroupDescription,
  GroupOptions,
  HeartbeatResult,
  JoinedGroup,
  JoinResult,
} from '../api/group.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import { checkResponse } from '../cluster/response-check.ts'
import type { BrokerConnection } from '../network/broker-connection.ts'
import { request } from '../network/codec.ts'
import type { Endpoint } from '../network/socket.ts'
import { ErrorCode } from '../protocol/broker-error.ts'

interface Coordinator {
  readonly nodeId: number
  readonly endpoint: Endpoint
}

const GROUP_KEY = 0
/** In addition to the time that the coordinator waits for the members. */
const JOIN_MARGIN_MS = 5_000

/**
 * A group with the codecs of the library on connections of our own. The library's consumer is not used: it supports
 * only groups of consumers and rejoins by itself.
 *
 * A broker answers the requests of a connection in order, and a join or the wait for the leader's assignments may take
 * minutes. So these have a connection of their own, and heartbeats and descriptions are answered meanwhile.
 */
export class CoordinatedGroup implements GroupClient {
  readonly #options: GroupOptions
  readonly #control: Cluster
  readonly #joins: Cluster
  #coordinator: Coordinator | null = null
  /** On it a join or a sync may wait. */
  #joinConnection: BrokerConnection | null = null
  /** The request for it, while it runs. */
  #finding: Promise<Coordinator> | null = null

  constructor(context: ClusterContext, options: GroupOptions) {
    const { clientId = context.login.clientId, requestTimeoutMs, rebalanceTimeoutMs } = options
    const connectTimeoutMs = Math.min(context.login.connectTimeoutMs, requestTimeoutMs)
    const login = { ...context.login, clientId, connectTimeoutMs, requestTimeoutMs }
    this.#options = options
    this.#control = new Cluster({ ...context, login })
    const joinTimeoutMs = rebalanceTimeoutMs + JOIN_MARGIN_MS
    this.#joins = new Cluster({ ...context, login: { ...login, requestTimeoutMs: joinTimeoutMs } })
  }

  async connect(signal?: AbortSignal): Promise<void> {
    await this.#attempt(signal, async (coordinator) => {
      const control = this.#control.pool.connectionTo(coordinator.nodeId, signal)
      await Promise.all([control, this.#connectForJoin(coordinator, signal)])
    })
  }

  async describe(signal?: AbortSignal): Promise<GroupDescription> {
    const { groupId } = this.#options
    const { groups } = await this.#request(signal, describeGroupsV4.api, [groupId], false)
    const group = present(groups[0], `the description of group ${groupId}`)
    if (group.errorCode === ErrorCode.GROUP_ID_NOT_FOUND) return { state: 'Dead', protocolType: '', members: [] }
    this.#check('DescribeGroups', group.errorCode)
    const members = group.members.map(({ memberId, clientId, clientHost, memberMetadata }) => ({
      memberId,
      clientId,
      host: clientHost.replace(/^\//, ''),
      // The reader of the library returns a view of the response.
      metadata: Buffer.from(memberMetadata),
    }))
    return { state: group.groupState, protocolType: group.protocolType, members }
  }

  async join(memberId: string, signal?: AbortSignal): Promise<JoinResult> {
    const { groupId, protocolType, protocols, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options
    const offered = typeof protocols === 'function' ? protocols() : protocols
    const names = offered.map(({ name, metadata }) => ({ name, metadata }))
    const response = await this.#attempt(signal, async (coordinator) => {
      const connection = await this.#connectForJoin(coordinator, signal)
      return request(
        connection,
        joinGroupV5.api,
        groupId,
        sessionTimeoutMs,
        rebalanceTimeoutMs,
        memberId,
        null,
        protocolType,
        names,
      )
    })
    switch (response.errorCode) {
      case ErrorCode.MEMBER_ID_REQUIRED:
        return { tag: 'id assigned', memberId: response.memberId }
      case ErrorCode.INCONSISTENT_GROUP_PROTOCOL:
        return { tag: 'conflict' }
      case ErrorCode.UNKNOWN_MEMBER_ID:
        return { tag: 'unknown member' }
      default:
        this.#check('JoinGroup', response.errorCode)
        return { tag: 'joined', group: joinedGroup(response) }
    }
  }

  async sync(
    { generationId, memberId }: JoinedGroup,
    assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[],
    signal?: AbortSignal,
  ): Promise<{ readonly tag: HeartbeatResult; readonly assignment: Buffer }> {
    const { groupId } = this.#options
    const list = [...assignments]
    const response = await this.#attempt(signal, async (coordinator) => {
      // It waits for the leader: heartbeats must not wait for it.
      const connection = await this.#connectForJoin(coordinator, signal)
      return request(connection, syncGroupV3.api, groupId, generationId, memberId, null, null, null, list)
    })
    const tag = this.#membership('SyncGroup', response.errorCode)
    return { tag, assignment: tag === 'alive' ? Buffer.from(response.assignment) : Buffer.alloc(0) }
  }

  async heartbeat(
    { generationId, memberId }: Pick<JoinedGroup, 'memberId' | 'generationId'>,
    signal?: AbortSignal,
  ): Promise<HeartbeatResult> {
    const { groupId } = this.#options
    const { errorCode } = await this.#request(signal, heartbeatV3.api, groupId, generationId, memberId, null)
    return this.#membership('Heartbeat', errorCode)
  }

  async leave(memberId: string, signal?: AbortSignal): Promise<void> {
    const { groupId } = this.#options
    const { errorCode, members } = await this.#request(signal, leaveGroupV3.api, groupId, [{ memberId }])
    this.#check('LeaveGroup', errorCode)
    const result = members[0]?.errorCode ?? ErrorCode.NONE
    if (result !== ErrorCode.UNKNOWN_MEMBER_ID) this.#check('LeaveGroup', result)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#control.close(), this.#joins.close()])
  }

  #request<Arguments extends unknown[], Response>(
    signal: AbortSignal | undefined,
    api: API<Arguments, Response>,
    ...parameters: Arguments
  ): Promise<Response> {
    return this.#attempt(signal, ({ nodeId }) => this.#control.request(nodeId, api, ...parameters))
  }

  async #attempt<T>(signal: AbortSignal | undefined, work: (coordinator: Coordinator) => Promise<T>): Promise<T> {
    try {
      return await doneOr(this.#findCoordinator().then(work), signal)
    } catch (error) {
      // Perhaps another broker coordinates the group by now.
      if (isRetriable(error)) this.#forgetCoordinator(toError(error).message)
      throw error
    }
  }

  async #connectForJoin({ nodeId, endpoint }: Coordinator, signal: AbortSignal | undefined): Promise<BrokerConnection> {
    this.#joins.pool.setAddresses(new Map([[nodeId, endpoint]]))
    this.#joinConnection = await this.#joins.pool.connectionTo(nodeId, signal)
    return this.#joinConnection
  }

  interrupt(reason: string): void {
    const connection = this.#joinConnection
    if (connection === null || connection.isIdle) return
    connection.end(kafkaErrors.CONNECTION_LOST({ broker: connection.broker, reason }))
  }

  /** A request that waits there would wait for a broker that may be dead. */
  #forgetCoordinator(reason: string): void {
    this.#coordinator = null
    this.interrupt(reason)
  }

  /** Requested once for calls at the same time. */
  #findCoordinator(): Promise<Coordinator> {
    if (this.#coordinator !== null) return Promise.resolve(this.#coordinator)
    this.#finding ??= this.#requestCoordinator().finally(() => (this.#finding = null))
    return this.#finding
  }

  async #requestCoordinator(): Promise<Coordinator> {
    const { groupId } = this.#options
    const { coordinators } = await this.#control.request('any', findCoordinatorV2.api, GROUP_KEY, [groupId])
    const { errorCode, errorMessage, nodeId, host, port } = present(coordinators[0], `the coordinator of ${groupId}`)
    checkResponse({ request: 'FindCoordinator', subject: `group ${groupId}`, errorCode, reason: errorMessage })
    const coordinator = { nodeId, endpoint: { host, port } }
    this.#control.pool.setAddresses(new Map([[nodeId, coordinator.endpoint]]))
    this.#coordinator = coordinator
    return coordinator
  }

  #membership(name: string, errorCode: number): HeartbeatResult {
    if (errorCode === ErrorCode.REBALANCE_IN_PROGRESS) return 'rebalancing'
    if (errorCode === ErrorCode.ILLEGAL_GENERATION) return 'stale'
    if (errorCode === ErrorCode.UNKNOWN_MEMBER_ID) return 'lost'
    this.#check(name, errorCode)
    return 'alive'
  }

  #check(name: string, errorCode: number): void {
    if (COORDINATOR_CHANGES.includes(errorCode)) this.#forgetCoordinator('another broker coordinates the group')
    checkResponse({ request: name, subject: `group ${this.#options.groupId}`, errorCode })
  }
}

/** The broker is no longer the coordinator of the group, or not yet. */
const COORDINATOR_CHANGES: readonly number[] = [
  ErrorCode.NOT_COORDINATOR,
  ErrorCode.COORDINATOR_NOT_AVAILABLE,
  ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
]

function joinedGroup(response: Awaited<ReturnType<typeof joinGroupV5.api.async>>): JoinedGroup {
  const { memberId, generationId, leader, protocolName, members } = response
  return {
    memberId,
    generationId,
    leaderId: leader,
    protocol: protocolName ?? '',
    members: members.map((member) => ({ memberId: member.memberId, metadata: Buffer.from(member.metadata) })),
  }
}
