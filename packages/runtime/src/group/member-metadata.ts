import type { GroupMember } from '@tributary/kafka'
import { decodeMemberState, type MemberState } from './protocol/member-state.ts'

/**
 * The facts in the metadata of a member; null for bytes that no worker of Connect writes, such as those of a consumer,
 * and while the members are joining. Used only to name a worker in messages and to find ended processes, so it is
 * lenient. The leader of a group reads the metadata strictly.
 */
export function stateOf({ metadata }: Pick<GroupMember, 'metadata'>): MemberState | null {
  if (metadata.length === 0) return null
  try {
    return decodeMemberState(metadata)
  } catch {
    return null
  }
}

/** `worker http://host:port/ (client … at address)`. The URL is unknown while the members are joining. */
export function nameOf(member: GroupMember): string {
  const url = stateOf(member)?.url ?? ''
  return `worker ${url === '' ? '' : `${url} `}(client ${member.clientId} at ${member.host})`
}
