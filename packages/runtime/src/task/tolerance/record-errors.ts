import type { SourceRecord } from '@tributary/connect-api'
import { recordSizeOf, type RecordSize } from '@tributary/kafka'
import { CodedError, toError, type Clock, type Counter, type Logger, type Meter } from '@tributary/support'
import { offsetJson } from '../../storage/offset-record.ts'
import { failurePlace, type FailedStage, type FailurePlace } from '../record-failure.ts'
import type { ErrorPolicy } from './error-policy.ts'
import { recordPlace, recordText } from './record-text.ts'

/** The Java classes of the stages that have one class each. */
export type StageClasses = Readonly<Record<Exclude<FailedStage, 'TRANSFORMATION'>, string>>

export interface RecordErrorsOptions {
  readonly policy: ErrorPolicy
  /** CONNECTOR-NUMBER */
  readonly taskId: string
  readonly classes: StageClasses
  readonly clock: Clock
  readonly logger: Logger
  readonly meter: Meter
}

/**
 * Decides about each record that fails, and logs and counts it (Connect's RetryWithToleranceOperator). Costs nothing
 * while no record fails.
 */
export class RecordErrors {
  readonly #options: RecordErrorsOptions
  readonly counters: ErrorCounters
  #lastErrorMs: number | null = null
  /** Records skipped since the last log line about them, and its time. */
  #unlogged = 0
  #loggedAtMs: number | null = null

  constructor(options: RecordErrorsOptions) {
    this.#options = options
    this.counters = errorCounters(options.meter)
  }

  /** When the last record failed, in milliseconds since 1970; 0: none has. */
  get lastErrorMs(): number {
    return this.#lastErrorMs ?? 0
  }

  get policy(): ErrorPolicy {
    return this.#options.policy
  }

  /**
   * True: the record is to be skipped. False: the task fails with the error.
   *
   * @param record the record as it was polled
   * @param sent the record to send, after the transformations, which may hide a part of the key
   */
  tolerates(error: unknown, record: SourceRecord, sent: SourceRecord = record): boolean {
    const place = failurePlace(error)
    if (place === null) return false
    const { policy } = this.#options
    this.#count(place)
    if (policy.isLogged) this.#log(place, toError(error), record)
    const size = recordSizeOf(toError(error).cause)
    if (!isSkipped(policy, size)) return false
    this.counters.skipped.add(1)
    if (size !== null) this.#logTooLarge(sent, size)
    else if (!policy.isLogged) this.#logSkipped(record)
    return true
  }

  /** A conversion has failed and will be repeated. */
  onRetry(): void {
    this.counters.failures.add(1)
    this.counters.retries.add(1)
  }

  #count({ stage }: FailurePlace): void {
    const { clock, meter } = this.#options
    if (stage === 'KAFKA_PRODUCE') this.counters.producer.add(1)
    this.counters.failures.add(1)
    this.counters.errors.add(1)
    if (this.#lastErrorMs === null) meter.gauge('errors.last.ms', () => this.#lastErrorMs ?? 0)
    this.#lastErrorMs = clock.now()
  }

  /** The text of an error may contain a value, and is left out with the record. */
  #log({ stage, className }: FailurePlace, error: Error, record: SourceRecord): void {
    const { policy, taskId, classes, logger } = this.#options
    const stageClass = stage === 'TRANSFORMATION' ? (className ?? '') : classes[stage]
    const text = `Error encountered in task ${taskId}. Executing stage '${stage}' with class '${stageClass}'`
    if (policy.includesMessages) {
      logger.error(`${text}, where source record is = ${recordText(record)}.`, { error })
    } else {
      const code = error.cause instanceof CodedError ? error.cause.code : toError(error.cause).name
      logger.error(`${text}. ${placeText(record)} failed with ${code}.`)
    }
    this.counters.logged.add(1)
  }

  /** Logs each of these records: somebody has to deliver that row to its consumers in another way. */
  #logTooLarge(record: SourceRecord, { bytes, limit }: RecordSize): void {
    this.counters.tooLarge.add(1)
    const limitText = limit === null ? '' : `; ${limit} are allowed`
    this.#options.logger.warn(
      `A record was too large (${bytes} bytes${limitText}) and was skipped: ${recordPlace(record)}`,
    )
  }

  /** Nobody should lose records without any line: one now, then one per minute. */
  #logSkipped(record: SourceRecord): void {
    const { clock, logger } = this.#options
    this.#unlogged += 1
    const nowMs = clock.now()
    if (this.#loggedAtMs !== null && nowMs - this.#loggedAtMs < SKIPPED_INTERVAL_MS) return
    logger.warn(
      `${placeText(record)} failed and was skipped (errors.tolerance=all); ${this.#unlogged} skipped since the last such line. errors.log.enable=true logs each of them with its error`,
    )
    this.#unlogged = 0
    this.#loggedAtMs = nowMs
  }
}

/** A record that remains too large with placeholders is treated as if `errors.record.too.large` were not set. */
function isSkipped({ tooLarge, isTolerant }: ErrorPolicy, size: RecordSize | null): boolean {
  if (size === null || tooLarge === null || tooLarge === 'placeholder') return isTolerant
  return tooLarge === 'skip'
}

function placeText({ topic, sourceOffset }: SourceRecord): string {
  return `The record for topic ${topic} from source position ${offsetJson(sourceOffset.toDocument())}`
}

/** The counters have the meaning of Connect's task-error-metrics. */
export interface ErrorCounters {
  /** total-record-errors: records that failed for good. */
  readonly errors: Counter
  /** total-record-failures: these, and attempts that were repeated. */
  readonly failures: Counter
  /** total-records-skipped */
  readonly skipped: Counter
  /** The skipped records that were too large for the brokers. */
  readonly tooLarge: Counter
  /** total-retries */
  readonly retries: Counter
  /** total-errors-logged */
  readonly logged: Counter
  /** Those among the records that failed for good that the producer refused. */
  readonly producer: Counter
}

function errorCounters(meter: Meter): ErrorCounters {
  return {
    errors: meter.counter('errors.records'),
    failures: meter.counter('errors.failures'),
    skipped: meter.counter('errors.skipped'),
    tooLarge: meter.counter('records.tooLarge.skipped'),
    retries: meter.counter('errors.retries'),
    logged: meter.counter('errors.logged'),
    producer: meter.counter('errors.producer'),
  }
}

const SKIPPED_INTERVAL_MS = 60_000
