import type { Logger } from '@tributary/support'
import { taskTransactionalId } from '../config/exactly-once.ts'
import type { ConfigStore } from '../storage/config-store.ts'

export interface ZombieFencingOptions {
  readonly groupId: string
  readonly configs: ConfigStore
  /** Fences producers in the cluster of the connector's records. */
  readonly fenceProducers: (
    connector: string,
    transactionalIds: readonly string[],
    signal: AbortSignal,
  ) => Promise<void>
  readonly logger: Logger
}

/**
 * Makes sure that no producer of an earlier set of tasks can write before a new set starts (KIP-618, the work of the
 * leader; DistributedHerder.doFenceZombieSourceTasks). A task fences its own predecessor with the same number when it
 * takes over the transactional id. So fencing is needed only for numbers that the new set does not have, and for sets
 * in which tasks could exchange source partitions.
 *
 * The task-count record in the config topic is written before the first task of a set starts, so that the next leader,
 * of Tributary or Kafka Connect, knows the ids in use.
 */
export class ZombieFencing {
  readonly #options: ZombieFencingOptions

  constructor(options: ZombieFencingOptions) {
    this.#options = options
  }

  /** Call it in the turn of the connector. Resolves when the tasks of the current set may start. */
  async fence(connector: string, signal: AbortSignal): Promise<void> {
    const { configs, groupId, fenceProducers, logger } = this.#options
    if (!configs.isPendingFencing(connector)) return
    const count = configs.get(connector)?.taskConfigs?.length ?? 0
    const earlier = configs.taskCountRecord(connector)
    if (earlier !== null && (earlier !== 1 || count !== 1)) {
      const ids = Array.from({ length: earlier }, (_, task) => taskTransactionalId(groupId, connector, task))
      logger.info(`Fencing the producers of ${earlier} earlier tasks of connector ${connector}`)
      await fenceProducers(connector, ids, signal)
    }
    await configs.putTaskCount(connector, count, signal)
  }
}
