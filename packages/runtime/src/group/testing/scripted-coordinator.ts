import { kafkaErrors } from '@tributary/kafka'
import type { GroupClient, GroupDescription, HeartbeatResult, JoinedGroup, JoinResult } from '@tributary/kafka'

/** A coordinator whose answers the test sets. tests/e2e has a real one; here time passes faster. */
export class ScriptedCoordinator implements GroupClient {
  readonly requests: string[] = []
  /** The answer to the next join with an id; replaced after each. */
  joining: PromiseWithResolvers<JoinResult> = Promise.withResolvers<JoinResult>()
  /** The answer to heartbeats; an error: they fail. */
  beat: HeartbeatResult | Error = 'alive'
  listed: readonly string[] = ['a']
  /** Of the group, while the first join is not answered. */
  state = 'PreparingRebalance'
  left: Promise<void> = Promise.resolve()
  #syncing: ReturnType<typeof Promise.withResolvers<never>> | null = null

  connect(): Promise<void> {
    return Promise.resolve()
  }

  describe(): Promise<GroupDescription> {
    const members = this.listed.map((memberId) => ({ memberId, clientId: 'c', host: 'h', metadata: Buffer.alloc(0) }))
    return Promise.resolve({ state: this.state, protocolType: 'connect', members })
  }

  join(memberId: string): Promise<JoinResult> {
    this.requests.push(`join ${memberId}`)
    return memberId === '' ? Promise.resolve({ tag: 'id assigned', memberId: 'a' }) : this.joining.promise
  }

  /** Answers the pending join. */
  answer(result: JoinResult): void {
    const { resolve } = this.joining
    this.joining = Promise.withResolvers()
    resolve(result)
  }

  /** Ends the connection with the pending join. */
  interrupt(): void {
    this.requests.push('interrupt')
    const lost = kafkaErrors.CONNECTION_LOST({ broker: 'b', reason: 'interrupted' })
    if (this.#syncing === null) {
      const { reject } = this.joining
      this.joining = Promise.withResolvers()
      reject(lost)
    } else {
      this.#syncing.reject(lost)
      this.#syncing = null
    }
  }

  /** The next sync is not answered. */
  loseSync(): void {
    this.#syncing = Promise.withResolvers()
  }

  sync(...[group, assignments]: Parameters<GroupClient['sync']>): ReturnType<GroupClient['sync']> {
    this.requests.push(`sync ${group.generationId}`)
    if (this.#syncing !== null) return this.#syncing.promise
    const own = assignments.find(({ memberId }) => memberId === group.memberId)
    return Promise.resolve({ tag: 'alive', assignment: own?.assignment ?? Buffer.alloc(0) })
  }

  heartbeat({ generationId }: Pick<JoinedGroup, 'generationId'>): Promise<HeartbeatResult> {
    this.requests.push(`heartbeat ${generationId}`)
    return this.beat instanceof Error ? Promise.reject(this.beat) : Promise.resolve(this.beat)
  }

  async leave(memberId: string): Promise<void> {
    this.requests.push(`leave ${memberId}`)
    await this.left
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}
