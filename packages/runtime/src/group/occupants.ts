import type { GroupClient, GroupMember } from '@tributary/kafka'
import { CodedError, type Clock, type Logger } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import { nameOf, stateOf } from './member-metadata.ts'
import { processState, type ProcessIdentity } from './process-identity.ts'
import type { MemberState } from './protocol/member-state.ts'

export interface OccupantsOptions {
  readonly client: GroupClient
  readonly groupId: string
  readonly own: ProcessIdentity | null
  readonly sessionTimeoutMs: number
  /** Returns the error for a worker that cannot share the group with this one. */
  readonly refusal: (worker: string, state: MemberState | null) => CodedError
  /** Returns the error if a member that can share the group must keep this worker out; otherwise null. */
  readonly objection: (worker: string, state: MemberState) => CodedError | null
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Inspects the other members of a group before this worker joins. A killed worker remains a member until its session
 * ends, and looks like a running one. If it ran on this machine, the process ids prove that it has ended, and this
 * worker removes its membership. Otherwise this worker waits for longer than a session: a member that remains runs.
 */
export class Occupants {
  readonly #options: OccupantsOptions
  /** The ids of the members that this worker waits for, and how long; null before the first meeting. */
  #awaited: { readonly ids: string; readonly untilMs: number } | null = null

  constructor(options: OccupantsOptions) {
    this.#options = options
  }

  /** Removes members whose process has ended. Throws the error for a member that cannot share the group. */
  async inspect(signal: AbortSignal): Promise<void> {
    const { client, own, objection } = this.#options
    const { protocolType, members } = await client.describe(signal)
    if (protocolType !== 'connect') return
    for (const member of members) {
      const state = stateOf(member)
      const process = state?.own?.process ?? null
      const condition = process === null ? 'unknown' : processState(process, own)
      if (condition === 'ended') await this.#remove(member, process?.pid ?? 0, signal)
      else if (state !== null) {
        const error = objection(nameOf(member), state)
        if (error !== null) throw error
      }
    }
  }

  /**
   * Call it when members keep this worker out. Resolves after a pause: then a new attempt to join may succeed. Throws
   * the error for a member that certainly runs.
   */
  async meet(signal: AbortSignal): Promise<void> {
    const { client, groupId, clock } = this.#options
    const { protocolType, members } = await client.describe(signal)
    const [first] = members
    if (first === undefined) return clock.sleep(AGAIN_MS, signal)
    if (protocolType !== 'connect')
      throw runtimeErrors.WORKER_GROUP_FOREIGN({ group: groupId, worker: nameOf(first), type: protocolType })
    if (!(await this.#removeEnded(members, signal))) await this.#wait(members, first, signal)
  }

  /** Call it when the worker has joined. */
  reset(): void {
    this.#awaited = null
  }

  /** Whether a member was removed. */
  async #removeEnded(members: readonly GroupMember[], signal: AbortSignal): Promise<boolean> {
    const { own } = this.#options
    let hasRemoved = false
    for (const member of members) {
      const process = stateOf(member)?.own?.process ?? null
      if (process === null) continue
      const state = processState(process, own)
      if (state === 'running') throw this.#refusal(member)
      if (state === 'unknown') continue
      await this.#remove(member, process.pid, signal)
      hasRemoved = true
    }
    return hasRemoved
  }

  async #remove(member: GroupMember, pid: number, signal: AbortSignal): Promise<void> {
    const { client, groupId, logger } = this.#options
    logger.info(
      `The ${nameOf(member)} has ended without leaving group ${groupId}: its process ${pid} no longer exists. Its membership is removed`,
    )
    await client.leave(member.memberId, signal)
  }

  async #wait(members: readonly GroupMember[], first: GroupMember, signal: AbortSignal): Promise<void> {
    const { groupId, sessionTimeoutMs, clock, logger } = this.#options
    const ids = members.map(({ memberId }) => memberId).join(' ')
    if (this.#awaited === null) {
      const otherMs = stateOf(first)?.own?.sessionTimeoutMs ?? DEFAULT_SESSION_MS
      const waitMs = Math.max(otherMs, sessionTimeoutMs) + MARGIN_MS
      this.#awaited = { ids, untilMs: clock.monotonicMs() + waitMs }
      logger.warn(
        `Waiting for the ${nameOf(first)} to leave group ${groupId}. If it was killed, its membership ends within ${waitMs / 1000} s; if it still is a member then, it runs, and this worker stops`,
      )
    }
    // A member that has joined during the wait runs.
    const isOther = this.#awaited.ids !== ids
    if (isOther || clock.monotonicMs() >= this.#awaited.untilMs) throw this.#refusal(first)
    await clock.sleep(AGAIN_MS, signal)
  }

  #refusal(member: GroupMember): CodedError {
    return this.#options.refusal(nameOf(member), stateOf(member))
  }
}

/** Whether the error refuses a worker because of others in its place. */
export function isRefusal(error: unknown): boolean {
  return error instanceof CodedError && REFUSALS.has(error.code)
}

const REFUSALS: ReadonlySet<string> = new Set([
  'WORKER_GROUP_TAKEN',
  'WORKER_GROUP_TOPICS',
  'WORKER_TOPIC_TAKEN',
  'WORKER_GROUP_FOREIGN',
])

const AGAIN_MS = 250
/** Of a worker of Kafka Connect, which does not report its own. */
const DEFAULT_SESSION_MS = 10_000
/**
 * A worker that was killed while it joined is not subject to a session yet: first the coordinator ends the join, by
 * default 3 s after it began (group.initial.rebalance.delay.ms).
 */
const MARGIN_MS = 5_000
