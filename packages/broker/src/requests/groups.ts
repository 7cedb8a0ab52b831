import { metadataFor } from '../groups/group-member.ts'
import { ErrorCode } from '../protocol/error-code.ts'
import type { ResponseOf } from '../protocol/message-types.ts'
import type { Call, Handler } from './call.ts'
import { GROUP_OPERATIONS, NOT_REQUESTED } from './operations.ts'

type DescribedGroup = NonNullable<ResponseOf<'DescribeGroups'>['groups']>[number]

/** First version of JoinGroup whose clients join a second time with the id that they were given (KIP-394). */
const KNOWN_ID_FROM = 4
/** First version in which the protocol of a refused join is null. */
const NULL_PROTOCOL_FROM = 7
/** First version of LeaveGroup with several members. */
const SEVERAL_FROM = 3
/** First version of DescribeGroups with an error for a missing group. */
const NOT_FOUND_FROM = 6

export const joinGroup: Handler<'JoinGroup'> = (request, call, answer) => {
  const join = {
    groupId: request.groupId,
    memberId: request.memberId,
    groupInstanceId: request.groupInstanceId,
    protocolType: request.protocolType,
    protocols: request.protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
    sessionTimeoutMs: request.sessionTimeoutMs,
    rebalanceTimeoutMs: request.rebalanceTimeoutMs,
    clientId: call.clientId,
    clientHost: call.clientHost,
    needsKnownId: call.version >= KNOWN_ID_FROM,
  }
  call.state.groups.join(join, call.nowMs, ({ errorCode, memberId, group }) => {
    if (group !== null) {
      answer({ errorCode, memberId, ...group })
      return
    }
    const none = call.version >= NULL_PROTOCOL_FROM ? null : ''
    answer({ errorCode, memberId, generationId: -1, protocolType: null, protocolName: none, leader: '' })
  })
}

export const syncGroup: Handler<'SyncGroup'> = (request, { state, nowMs }, answer) => {
  const { groupId, assignments } = request
  const sync = {
    ...request,
    assignments: new Map(assignments.map(({ memberId, assignment }) => [memberId, Buffer.from(assignment)])),
  }
  if (groupId === '') {
    answer({ errorCode: ErrorCode.INVALID_GROUP_ID, protocolType: null, protocolName: null })
    return
  }
  state.groups.sync(sync, nowMs, ({ errorCode, assignment }) => {
    const group = errorCode === ErrorCode.NONE ? state.groups.get(groupId) : undefined
    const { protocolType = null, protocolName = null } = group ?? {}
    answer({ errorCode, assignment, protocolType, protocolName })
  })
}

export const heartbeat: Handler<'Heartbeat'> = (request, { state, nowMs }, answer) => {
  const isInvalid = request.groupId === ''
  answer({ errorCode: isInvalid ? ErrorCode.INVALID_GROUP_ID : state.groups.heartbeat(request, nowMs) })
}

export const leaveGroup: Handler<'LeaveGroup'> = ({ groupId, memberId, members }, call, answer) => {
  const { state, version, nowMs } = call
  if (groupId === '') {
    answer({ errorCode: ErrorCode.INVALID_GROUP_ID })
    return
  }
  if (version < SEVERAL_FROM) {
    answer({ errorCode: state.groups.leave(groupId, memberId, null, nowMs) })
    return
  }
  const left = members.map((member) => {
    const { memberId: id, groupInstanceId } = member
    return { memberId: id, groupInstanceId, errorCode: state.groups.leave(groupId, id, groupInstanceId, nowMs) }
  })
  answer({ errorCode: ErrorCode.NONE, members: left })
}

export const describeGroups: Handler<'DescribeGroups'> = (request, call, answer) => {
  const authorizedOperations = request.includeAuthorizedOperations ? GROUP_OPERATIONS : NOT_REQUESTED
  answer({ groups: request.groups.map((groupId) => describeGroup(groupId, authorizedOperations, call)) })
}

function describeGroup(groupId: string, authorizedOperations: number, { state, version }: Call): DescribedGroup {
  const group = state.groups.get(groupId)
  if (group === undefined) {
    const isMissing = !state.offsets.has(groupId)
    const dead = { groupId, groupState: isMissing ? 'Dead' : 'Empty', authorizedOperations, members: [] }
    if (!isMissing || version < NOT_FOUND_FROM) return { ...dead, errorCode: ErrorCode.NONE }
    const errorMessage = `Group ${groupId} not found.`
    return { ...dead, errorCode: ErrorCode.GROUP_ID_NOT_FOUND, errorMessage, authorizedOperations: NOT_REQUESTED }
  }
  const isStable = group.state === 'Stable'
  const { protocolName } = group
  return {
    errorCode: ErrorCode.NONE,
    groupId,
    groupState: group.state,
    protocolType: group.protocolType,
    protocolData: isStable ? (protocolName ?? '') : '',
    members: Array.from(group.members.values(), (member) => ({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      memberMetadata: isStable && protocolName !== null ? metadataFor(member, protocolName) : Buffer.alloc(0),
      // In a rebalance that of the generation before, as in Kafka.
      memberAssignment: member.assignment,
    })),
    authorizedOperations,
  }
}

export const listGroups: Handler<'ListGroups'> = ({ statesFilter, typesFilter }, { state }, answer) => {
  const isOneOf = (filter: readonly string[], value: string): boolean =>
    filter.length === 0 || filter.some((each) => each.toLowerCase() === value.toLowerCase())
  const groups = Array.from(state.groups.all, (group) => ({
    groupId: group.groupId,
    protocolType: group.protocolType,
    groupState: group.state as string,
    groupType: 'classic',
  }))
  for (const groupId of state.offsets.groups) {
    if (state.groups.get(groupId) !== undefined) continue
    groups.push({ groupId, protocolType: '', groupState: 'Empty', groupType: 'classic' })
  }
  const listed = groups.filter((each) => isOneOf(statesFilter, each.groupState) && isOneOf(typesFilter, 'classic'))
  answer({ errorCode: ErrorCode.NONE, groups: listed })
}

export const deleteGroups: Handler<'DeleteGroups'> = ({ groupsNames }, { state }, answer) => {
  const results = groupsNames.map((groupId) => {
    const group = state.groups.get(groupId)
    if (group === undefined && !state.offsets.has(groupId)) {
      return { groupId, errorCode: groupId === '' ? ErrorCode.INVALID_GROUP_ID : ErrorCode.GROUP_ID_NOT_FOUND }
    }
    if (group !== undefined && group.state !== 'Empty') return { groupId, errorCode: ErrorCode.NON_EMPTY_GROUP }
    // First what the client cannot ask for again once the group is gone.
    state.transactions.forgetOffsets((each) => each === groupId)
    state.offsets.deleteGroup(groupId)
    state.groups.delete(groupId)
    return { groupId, errorCode: ErrorCode.NONE }
  })
  answer({ results })
}
