import type { SourceRecord } from '@tributary/connect-api'
import type { Producer } from '@tributary/kafka'
import { Outage, retry, throwIfStopped, type Clock, type Logger } from '@tributary/support'
import type { RecordSender } from './record-sender.ts'

export interface SchemaPreparationOptions {
  readonly sender: Pick<RecordSender, 'prepare' | 'prepareAhead' | 'pendingFailure'>
  readonly producer: Pick<Producer, 'flush'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Waits until the converters are prepared for a record: a registry that is away or silent is waited out for as long as it takes, and
 * told: a refusal at once, silence after some seconds, either of them every minute.
 */
export class SchemaPreparation {
  readonly #options: SchemaPreparationOptions

  constructor(options: SchemaPreparationOptions) {
    this.#options = options
  }

  /**
   * @param ahead records whose schemas are prepared with it
   * @throws StoppedError when the signal fires, and as soon as the producer fails: what is waited for could not be sent
   * @throws what `RecordSender.prepare` throws and waiting does not mend
   */
  async prepare(record: SourceRecord, ahead: readonly SourceRecord[], signal: AbortSignal): Promise<void> {
    const { producer, clock, logger } = this.#options
    const outage = new Outage(logger, clock, `Records for ${record.topic} wait for their schema`)
    const ending = new AbortController()
    const end = (): void => ending.abort()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    // What was sent before is acknowledged meanwhile, or the producer fails.
    const flushing = producer.flush(ending.signal).catch(end)
    const watching = this.#watch(outage)
    try {
      await this.#prepare(record, ahead, { outage, signal: ending.signal })
      outage.reportSuccess()
    } finally {
      watching.end()
      signal.removeEventListener('abort', end)
      end()
      await flushing
    }
  }

  async #prepare(
    record: SourceRecord,
    ahead: readonly SourceRecord[],
    { outage, signal }: { readonly outage: Outage; readonly signal: AbortSignal },
  ): Promise<void> {
    const { sender, clock } = this.#options
    await sender.prepareAhead(ahead, signal)
    throwIfStopped(signal)
    await retry(() => sender.prepare(record, signal), {
      ...PAUSES,
      clock,
      signal,
      onRetry: (error) => outage.reportFailure(error),
    })
  }

  /** Tells of requests that nobody answers, until it is ended. */
  #watch(outage: Outage): { end(): void } {
    const { sender, clock } = this.#options
    const look = (): void => {
      const waiting = sender.pendingFailure()
      if (waiting !== null) outage.reportFailure(waiting)
      timer = clock.after(LOOK_MS, look)
    }
    let timer = clock.after(LOOK_MS, look)
    return { end: () => timer.cancel() }
  }
}

/** A registry that restarts is back within seconds; one that is away for hours is not pressed. */
const PAUSES = { initialMs: 300, maxMs: 10_000 }
/** What is silent for less is no trouble yet: a converter does not tell of it. */
const LOOK_MS = 5_000
