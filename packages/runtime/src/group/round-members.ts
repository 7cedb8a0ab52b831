import type { JoinedGroup } from '@tributary/kafka'
import { toError, type Logger } from '@tributary/support'
import { decodeMemberState, type MemberState } from './protocol/member-state.ts'

/** A member as the leader sees it. */
export interface Candidate {
  readonly memberId: string
  readonly state: MemberState
}

/** Reads what the members of a round report to their leader, and logs what is wrong with it. */
export class RoundMembers {
  readonly #logger: Logger
  /** Addresses that several members have: the log reports each once. */
  readonly #sharedUrls = new Set<string>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Leaves out a member whose metadata cannot be read: it must not keep the others from working. */
  read(group: JoinedGroup): readonly Candidate[] {
    const members = group.members.flatMap(({ memberId, metadata }) => {
      try {
        return [{ memberId, state: decodeMemberState(metadata) }]
      } catch (error) {
        this.#logger.error(
          `Member ${memberId} of the group gets no work, because its metadata cannot be read. It is no worker of Kafka Connect or Tributary, or of an unknown version: stop it, or give it another group.id`,
          { error: toError(error) },
        )
        return []
      }
    })
    this.#warnOfSharedUrls(members)
    return members
  }

  #warnOfSharedUrls(members: readonly Candidate[]): void {
    const seen = new Set<string>()
    for (const { state } of members) {
      if (seen.has(state.url) && !this.#sharedUrls.has(state.url)) {
        this.#sharedUrls.add(state.url)
        this.#logger.warn(
          `Two workers of the group have the address ${state.url}: requests for one of them may reach the other, and their statuses have the same worker id. Set rest.advertised.host.name and rest.advertised.port of each worker to an address of its own`,
        )
      }
      seen.add(state.url)
    }
  }
}
