import type { Clock, Logger } from '@tributary/support'
import type { LoadReason } from './load-watch.ts'

export interface ReplicaPatienceOptions {
  /** `snapshot.replica.wait.max.ms`; -1: no limit. */
  readonly limitMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * How long snapshots wait for replicas whose lag is not known: those that cannot be asked, or that do not replicate. One
 * that is down for good must not end a snapshot; one that is restarted must not be hurt.
 */
export class ReplicaPatience {
  readonly #options: ReplicaPatienceOptions
  /** Since when nothing is known of a replica, by its address. */
  readonly #unknown = new Map<string, { readonly sinceMs: number; isGivenUp: boolean }>()

  constructor(options: ReplicaPatienceOptions) {
    this.#options = options
  }

  /** The reasons that still count. */
  filter(reasons: readonly LoadReason[]): readonly LoadReason[] {
    for (const address of this.#unknown.keys()) {
      if (!reasons.some(({ unknown }) => unknown === address)) this.#noteBack(address)
    }
    return reasons.filter((reason) => reason.unknown === undefined || !this.#isGivenUp(reason.unknown, reason))
  }

  #isGivenUp(address: string, { reason }: LoadReason): boolean {
    const { limitMs, clock, logger } = this.#options
    const nowMs = clock.monotonicMs()
    const known = this.#unknown.get(address) ?? { sinceMs: nowMs, isGivenUp: false }
    this.#unknown.set(address, known)
    if (known.isGivenUp || limitMs < 0 || nowMs - known.sinceMs < limitMs) return known.isGivenUp
    known.isGivenUp = true
    logger.warn(
      `The snapshot does not wait for the replica ${address} any more (snapshot.replica.wait.max.ms=${limitMs}): ${reason}. It waits again when that replica replicates`,
    )
    return true
  }

  #noteBack(address: string): void {
    if (this.#unknown.get(address)?.isGivenUp === true)
      this.#options.logger.info(`The replica ${address} replicates: the snapshot waits for it again`)
    this.#unknown.delete(address)
  }
}
