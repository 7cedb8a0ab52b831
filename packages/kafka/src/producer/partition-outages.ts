import type { Clock, Logger } from '@tributary/support'
import { protocolErrors } from '@platformatic/kafka'
import { kafkaErrors } from '../api/errors.ts'
import type { Partition } from './partition.ts'

interface Outage {
  readonly sinceMs: number
  /** When it was last reported as ongoing. */
  reportedMs: number
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
    if (before === error) return this.#reportAgain(partition, error)
    if (before !== undefined) this.reportSuccess(partition)
    this.#errorOf.set(partition, error)
    const ongoing = this.#ongoing.get(error)
    if (ongoing !== undefined) {
      ongoing.partitions.add(partition)
      return
    }
    this.#begin(partition, error)
  }

  #begin(partition: Partition, error: string): void {
    const nowMs = this.#clock.now()
    this.#ongoing.set(error, { sinceMs: nowMs, reportedMs: nowMs, partitions: new Set([partition]) })
    this.#report(partition, error)
    const meaning = protocolErrors[error]?.message ?? 'The broker gives no reason.'
    this.#logger.warn(
      `Writing to partition ${partition.topic}-${partition.index} fails with ${error}. ${meaning} ` +
        'The producer retries until the broker acknowledges; if this lasts, check the brokers and their replicas.',
    )
  }

  /** At most one report a second, although hundreds of partitions may retry. */
  #reportAgain(partition: Partition, error: string): void {
    const ongoing = this.#ongoing.get(error)
    const nowMs = this.#clock.now()
    if (ongoing === undefined || nowMs - ongoing.reportedMs < REPORT_INTERVAL_MS) return
    ongoing.reportedMs = nowMs
    this.#report(partition, error)
  }

  #report(partition: Partition, error: string): void {
    const { outages } = this.#logger
    if (outages === undefined) return
    const reason = protocolErrors[error]?.message ?? 'the broker gives no reason'
    const subject = `topic ${partition.topic}`
    outages.failed(activityOf(error), kafkaErrors.RECORDS_NOT_WRITTEN({ subject, error, reason }))
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
    this.#logger.outages?.ended(activityOf(error))
    const seconds = ((this.#clock.now() - ongoing.sinceMs) / 1000).toFixed(1)
    this.#logger.info(`Writing works again after ${seconds} s of ${error}`)
  }
}

const REPORT_INTERVAL_MS = 1_000

function activityOf(error: string): string {
  return `writing records (${error})`
}
