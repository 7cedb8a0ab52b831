import type { ConfigMap } from '@tributary/connect-api'
import type { OpenSocket } from '@tributary/kafka'
import type { Clock, Logger } from '@tributary/support'
import type { WorkerConfig } from './config/worker-config.ts'
import type { HerderOptions } from './herder/distributed-herder.ts'
import { ZombieFencing } from './herder/zombie-fencing.ts'
import type { WorkerStorage } from './storage/worker-storage.ts'
import { clientsOf, OwnTopicOffsets } from './worker/own-topic-offsets.ts'

export interface OffsetAccessOptions {
  readonly config: WorkerConfig
  readonly storage: WorkerStorage
  /** The properties of the worker, with references. */
  readonly workerProperties: ConfigMap
  readonly mayWrite: () => boolean
  /** Default: TCP or TLS. */
  readonly openSocket?: OpenSocket | undefined
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * The herder's access to the offsets of connectors, and its fencing of producers if tasks deliver exactly once. A worker
 * that is being prepared for it fences for those that already do, as the leader of the group.
 */
export function offsetAccess(
  options: OffsetAccessOptions,
): Pick<HerderOptions, 'offsets' | 'fencing' | 'leaderFencing'> {
  const { config, storage, logger } = options
  const { groupId } = config
  const isExactlyOnce = config.exactlyOnce === 'enabled'
  const offsets = new OwnTopicOffsets({ ...options, workerTopic: config.offsetTopic.name, isExactlyOnce })
  if (config.exactlyOnce === 'disabled') return { offsets, fencing: null, leaderFencing: null }
  const fenceProducers = async (connector: string, ids: readonly string[], signal: AbortSignal): Promise<void> => {
    const { clients } = clientsOf(options, connector, storage.configs.get(connector)?.config ?? {})
    await using admin = clients.records.admin()
    await admin.fenceProducers(ids, signal)
  }
  const leaderFencing = new ZombieFencing({ groupId, configs: storage.configs, fenceProducers, logger })
  return { offsets, fencing: isExactlyOnce ? leaderFencing : null, leaderFencing }
}
