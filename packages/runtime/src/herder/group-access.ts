import { doneOr, StoppedError, throwIfStopped, withTimeout, type Clock } from '@tributary/support'
import type { GroupView } from '../group/group-view.ts'
import { HerderError } from './herder-error.ts'

/**
 * How long a request waits for the end of a rebalance, which takes a second or two when all members answer. It is
 * shorter than the time-outs of clients, which would otherwise repeat a request that still waits.
 */
const SETTLE_MS = 5_000

/** @throws not leader */
export function requireLeaderOf({ isLeader, leaderUrl }: GroupView): void {
  if (!isLeader) throw new HerderError({ tag: 'not leader', leaderUrl })
}

/**
 * Who may execute a request: some need the leader of the group, which alone changes connectors, some the worker that
 * runs the connector. On every other worker they fail with a problem that names the right one.
 */
export class GroupAccess {
  readonly #group: GroupView
  readonly #clock: Clock
  /** Aborts when the worker stops. */
  readonly #stop: AbortSignal

  constructor(group: GroupView, clock: Clock, stop: AbortSignal) {
    this.#group = group
    this.#clock = clock
    this.#stop = stop
  }

  /** @throws rebalancing, not leader */
  async asLeader<T>(work: () => Promise<T>): Promise<T> {
    await this.#settled()
    requireLeaderOf(this.#group)
    return work()
  }

  /** @throws rebalancing, not leader, not owner */
  async asOwnerOfConnector<T>(connector: string, work: () => Promise<T>): Promise<T> {
    await this.#settled()
    if (this.#group.ownsConnector(connector)) return work()
    requireLeaderOf(this.#group)
    throw new HerderError({ tag: 'not owner', ownerUrl: this.#group.connectorOwnerUrl(connector) })
  }

  /** The same for a task. */
  async asOwnerOfTask<T>(connector: string, task: number, work: () => Promise<T>): Promise<T> {
    await this.#settled()
    if (this.#group.ownsTask(connector, task)) return work()
    requireLeaderOf(this.#group)
    throw new HerderError({ tag: 'not owner', ownerUrl: this.#group.taskOwnerUrl(connector, task) })
  }

  /**
   * Does not wait: a read is answered by whoever knows the answer now.
   *
   * @throws not leader, not owner: the problem names the worker that runs the tasks, or the one that knows it
   */
  requireRunner(connector: string, hasTasks: boolean): void {
    const group = this.#group
    if (group.isSole) return
    if (hasTasks ? group.ownsTask(connector, 0) : group.ownsConnector(connector)) return
    requireLeaderOf(group)
    const ownerUrl = hasTasks ? group.taskOwnerUrl(connector, 0) : group.connectorOwnerUrl(connector)
    throw new HerderError({ tag: 'not owner', ownerUrl })
  }

  /** @throws rebalancing, and what the requirement throws */
  async asRunner<T>(requireRunner: () => void, work: () => Promise<T>): Promise<T> {
    await this.#settled()
    requireRunner()
    return work()
  }

  /**
   * Whether something exists. A worker that does not know it reads the config topic to its end first: another worker may
   * have created it just now. Nobody else is asked, so that the answer does not depend on a leader.
   *
   * @throws rebalancing when the topic cannot be read in time
   */
  async isKnown(check: () => boolean): Promise<boolean> {
    if (check()) return true
    await this.#inTime((signal) => this.#group.catchUp(signal))
    return check()
  }

  async #settled(): Promise<void> {
    await this.#inTime((signal) => this.#group.settled(signal))
  }

  async #inTime(wait: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#group.isSole) return
    try {
      await withTimeout(this.#clock, SETTLE_MS, (signal) => doneOr(wait(signal), signal), this.#stop)
    } catch (error) {
      if (this.#stop.aborted) throw new HerderError({ tag: 'worker stopping' }, error)
      if (error instanceof StoppedError) throw new HerderError({ tag: 'rebalancing' }, error)
      throw error
    }
    throwIfStopped(this.#stop)
  }
}
