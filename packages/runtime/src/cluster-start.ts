import type { Kafka } from '@tributary/kafka'
import type { Clock, Logger } from '@tributary/support'
import { loggerNamed } from './config/logger-names.ts'
import type { WorkerConfig } from './config/worker-config.ts'
import { untilFailed } from './group/until-failed.ts'
import type { WorkerMembership } from './group/worker-membership.ts'
import { WorkerStorage } from './storage/worker-storage.ts'

export interface ClusterStartOptions {
  readonly kafka: Kafka
  readonly config: WorkerConfig
  readonly membership: WorkerMembership
  readonly logger: Logger
  readonly clock: Clock
  /** Cancels the start when it aborts. */
  readonly signal: AbortSignal
}

/** The part of a worker's start that waits for brokers. It runs while the worker loads its plug-ins. */
export class ClusterStart implements AsyncDisposable {
  /** The id of the cluster, as soon as a broker has answered. */
  readonly answered: Promise<string>
  /** Called when the worker is a member of its group and has read the internal topics. */
  readonly opened: Promise<WorkerStorage>
  readonly #options: ClusterStartOptions
  readonly #stop = new AbortController()

  constructor(options: ClusterStartOptions) {
    this.#options = options
    const signal = AbortSignal.any([options.signal, this.#stop.signal])
    this.answered = clusterId(options.kafka, signal)
    this.opened = this.answered.then(() => this.#open(signal))
    // The worker handles their errors when it has loaded its plug-ins.
    this.answered.catch(() => undefined)
    this.opened.catch(() => undefined)
  }

  #open(signal: AbortSignal): Promise<WorkerStorage> {
    const { kafka, config, membership, clock } = this.#options
    const logger = this.#options.logger.child(loggerNamed('storage'))
    return untilFailed(membership, signal, (limit) =>
      whileJoining(membership, limit, (storageLimit) =>
        WorkerStorage.open({ kafka, config, logger, clock }, storageLimit),
      ),
    )
  }

  /** Cancels the start, and closes what it has opened. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    const storage = await this.opened.catch(() => null)
    await storage?.close()
  }
}

/** Joins the group and opens the storage at the same time. A refused worker does not wait for its storage. */
async function whileJoining(
  membership: WorkerMembership,
  signal: AbortSignal,
  open: (limit: AbortSignal) => Promise<WorkerStorage>,
): Promise<WorkerStorage> {
  const refused = new AbortController()
  const joined = membership.join(signal)
  joined.catch(() => refused.abort())
  let storage: WorkerStorage
  try {
    storage = await open(AbortSignal.any([signal, refused.signal]))
  } catch (error) {
    // The refusal has stopped it.
    if (refused.signal.aborted) await joined
    throw error
  }
  try {
    await joined
    return storage
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function clusterId(kafka: Kafka, signal: AbortSignal): Promise<string> {
  await using admin = kafka.admin()
  return (await admin.cluster(signal)).clusterId
}
