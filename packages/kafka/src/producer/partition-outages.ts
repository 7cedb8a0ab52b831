import type { Clock, Logger } from '@tributary/support'
import { protocolErrors } from '@platformatic/kafka'
import type { Partition } from './partition.ts'

interface OngoingOutage {
  readonly sinceMs: number
  readonly partitions: Set<Partition>
}

/**
 * What the brokers answer instead of an acknowledgement, told to the log once for each kind of error when its first
 * partition meets it, and once when none has it any more. A broker that is away concerns hundreds of partitions.
 */
export class PartitionOutages {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #ongoing = new Map<string, OngoingOutage>()
  readonly #errorOf = new Map<Partition, string>()

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger
    this.#clock = clock
  }

  /** The partition waits because of this error (by the name that the protocol gives it). */
  begin(partition: Partition, error: string): void {
    const before = this.#errorOf.get(partition)
    if (before === error) return
    if (before !== undefined) this.end(partition)
    this.#errorOf.set(partition, error)
    const ongoing = this.#ongoing.get(error)
    if (ongoing !== undefined) {
      ongoing.partitions.add(partition)
      return
    }
    this.#ongoing.set(error, { sinceMs: this.#clock.now(), partitions: new Set([partition]) })
    const where = `${partition.topic}-${partition.index}`
    const meaning = protocolErrors[error]?.message ?? ''
    this.#logger.warn(`writing to ${where} waits: ${error}. ${meaning} It goes on by itself.`)
  }

  /** Records of the partition are acknowledged. */
  end(partition: Partition): void {
    const error = this.#errorOf.get(partition)
    if (error === undefined) return
    this.#errorOf.delete(partition)
    const ongoing = this.#ongoing.get(error)
    ongoing?.partitions.delete(partition)
    if (ongoing === undefined || ongoing.partitions.size > 0) return
    this.#ongoing.delete(error)
    const seconds = ((this.#clock.now() - ongoing.sinceMs) / 1000).toFixed(1)
    this.#logger.info(`writing goes on after ${seconds} s of ${error}`)
  }
}
