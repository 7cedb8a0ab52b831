import type { Converter, SourceRecord } from '@tributary/connect-api'
import type { Producer } from '@tributary/kafka'
import { Outage, retry, throwIfStopped, type Clock, type Logger } from '@tributary/support'
import { recordFailure, type FailedStage } from '../record-failure.ts'
import { failureKind } from '../task-failure.ts'
import type { RecordErrors } from '../tolerance/record-errors.ts'
import { registerAhead, registerSchemas, type Converters } from './registrations.ts'

export interface SchemaRegistrarOptions {
  readonly converters: Converters
  readonly producer: Pick<Producer, 'flush'>
  /** How long a registration is repeated, and who counts the attempts. */
  readonly errors: Pick<RecordErrors, 'onRetry' | 'policy'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Registers the schemas of records. While the registry is unreachable or does not answer, it retries for as long as
 * that lasts, or for `errors.retry.timeout`, and logs it: a refused connection at once, silence after some seconds, both again every minute.
 */
export class SchemaRegistrar {
  readonly #options: SchemaRegistrarOptions
  /** Bounded by the addresses that the converters have. */
  readonly #logged = new Set<string>()

  constructor(options: SchemaRegistrarOptions) {
    this.#options = options
  }

  /**
   * Registers the schemas of `record`, and those of `ahead` side by side with them.
   *
   * @throws StoppedError when the signal fires, and when the producer fails: the record could not be sent anyway
   * @throws RECORD_FAILED when the registry refuses a schema of `record`
   */
  async register(record: SourceRecord, ahead: readonly (SourceRecord | null)[], signal: AbortSignal): Promise<void> {
    const { producer, clock, logger } = this.#options
    const outage = new Outage(logger, clock, `Records for ${record.topic} wait for their schema`)
    const ending = new AbortController()
    const end = (): void => ending.abort()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    // Rejects when the producer fails meanwhile.
    const flushing = producer.flush(ending.signal).catch(end)
    const watch = this.#watchSilence(outage)
    try {
      await this.#register(record, ahead, { outage, signal: ending.signal })
      outage.reportSuccess()
      this.#logWarnings()
    } finally {
      watch.cancel()
      outage.giveUp()
      signal.removeEventListener('abort', end)
      end()
      await flushing
    }
  }

  async #register(
    record: SourceRecord,
    ahead: readonly (SourceRecord | null)[],
    { outage, signal }: { readonly outage: Outage; readonly signal: AbortSignal },
  ): Promise<void> {
    const { converters, clock, errors } = this.#options
    const { retryLimitMs, retryPauseMaxMs } = errors.policy
    await registerAhead(converters, ahead, signal)
    throwIfStopped(signal)
    let stage: FailedStage = 'KEY_CONVERTER'
    const onConverter = (converter: Converter): void => {
      stage = converter === converters.keyConverter ? 'KEY_CONVERTER' : 'VALUE_CONVERTER'
    }
    try {
      await retry(() => registerSchemas(converters, record, { onConverter, signal }), {
        initialMs: Math.min(PAUSES.initialMs, retryPauseMaxMs ?? Infinity),
        maxMs: retryPauseMaxMs ?? PAUSES.maxMs,
        limitMs: retryLimitMs,
        clock,
        signal,
        when: (error) => failureKind(error, signal) === 'retry',
        onRetry: (error) => {
          errors.onRetry()
          outage.reportFailure(error)
        },
      })
    } catch (error) {
      if (failureKind(error, signal) === 'stop') throw error
      throw recordFailure(record, { stage, isOfSchema: true }, error)
    }
  }

  #logWarnings(): void {
    const { converters, logger } = this.#options
    const { keyConverter, valueConverter } = converters
    for (const { code, message } of [...(keyConverter.warnings?.() ?? []), ...(valueConverter.warnings?.() ?? [])]) {
      if (!this.#logged.has(message)) logger.warn(`${message} [${code}]`, { code })
      this.#logged.add(message)
    }
  }

  /** Logs requests that the registry does not answer, until it is cancelled. */
  #watchSilence(outage: Outage): { cancel(): void } {
    const { converters, clock } = this.#options
    const { keyConverter, valueConverter } = converters
    const look = (): void => {
      const failure = keyConverter.pendingFailure?.() ?? valueConverter.pendingFailure?.() ?? null
      if (failure !== null) outage.reportFailure(failure)
      timer = clock.after(LOOK_MS, look)
    }
    let timer = clock.after(LOOK_MS, look)
    return { cancel: () => timer.cancel() }
  }
}

/** A registry that restarts is back within seconds; one that is down for hours gets few requests. */
const PAUSES = { initialMs: 300, maxMs: 10_000 }
/** Converters report no shorter silence. */
const LOOK_MS = 5_000
