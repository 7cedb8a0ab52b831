import type { Clock, Logger } from '@tributary/support'
import { protocolErrors } from '@platformatic/kafka'
import type { Partition } from './partition.ts'

interface Outage {
  readonly sinceMs: number
  readonly partitions: Set<Partition>
}

/**
 * Logs the errors that brokers return instead of acknowledgements: once for each error code, when the first partition
 * gets it, and once when no partition gets it any more. A broker that is down affects hundreds of partitions.
 */
export class PartitionOutages {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #ongoing = new Map<string, Outage>()
  readonly #errorOf = new Map<Partition, string>()

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger
    this.#clock = clock
  }

  /** A batch of the partition failed with this error (its name in the protocol), and the producer will retry. */
  reportError(partition: Partition, error: string): void {
    const before = this.#errorOf.get(partition)
    if (before === error) return
    if (before !== undefined) this.reportSuccess(partition)
    this.#errorOf.set(partition, error)
    const ongoing = this.#ongoing.get(error)
    if (ongoing !== undefined) {
      ongoing.partitions.add(partition)
      return
    }
    this.#ongoing.set(error, { sinceMs: this.#clock.now(), partitions: new Set([partition]) })
    const meaning = protocolErrors[error]?.message ?? 'The broker gives no reason.'
    this.#logger.warn(
      `Writing to partition ${partition.topic}-${partition.index} fails with ${error}. ${meaning} ` +
        'The producer retries until the broker acknowledges; if this lasts, check the brokers and their replicas.',
    )
  }

  /** The broker has acknowledged records of the partition. */
  reportSuccess(partition: Partition): void {
    const error = this.#errorOf.get(partition)
    if (error === undefined) return
    this.#errorOf.delete(partition)
    const ongoing = this.#ongoing.get(error)
    ongoing?.partitions.delete(partition)
    if (ongoing === undefined || ongoing.partitions.size > 0) return
    this.#ongoing.delete(error)
    const seconds = ((this.#clock.now() - ongoing.sinceMs) / 1000).toFixed(1)
    this.#logger.info(`Writing works again after ${seconds} s of ${error}`)
  }
}
