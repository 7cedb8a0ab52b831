import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import type { Producer, ProducerTopic, RecordPart } from '@tributary/kafka'
import { StoppedError, toError, withTimeout, type Clock, type Logger } from '@tributary/support'
import { offsetJson, offsetKey } from '../storage/offset-record.ts'
import type { SubmittedRecords } from './submitted-records.ts'

export interface OffsetCommitterOptions {
  readonly connectorName: string
  readonly submitted: SubmittedRecords
  /** The offset topic, and its own producer: data that waits must not hold offsets up. */
  readonly producer: Producer
  readonly topic: ProducerTopic
  /** Called after offsets were stored. */
  readonly onCommitted: () => Promise<void>
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Stores offsets: at an interval, and once more at the end. A commit that fails is logged and tried again at the next
 * interval with what is newest then; it never fails the task, since every record that it stands for is safe.
 */
export class OffsetCommitter {
  readonly #options: OffsetCommitterOptions
  #isFlushing = false
  #token = 0

  constructor(options: OffsetCommitterOptions) {
    this.#options = options
  }

  /** Commits at the interval until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options
    try {
      for (;;) {
        await clock.sleep(intervalMs, signal)
        await this.commit()
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  }

  /** Stores what is committable now. True when nothing is left to store. */
  async commit(): Promise<boolean> {
    if (this.#isFlushing) return false
    const { submitted, logger, onCommitted } = this.#options
    const offsets = submitted.takeCommittable()
    if (offsets.size === 0) return true
    this.#isFlushing = true
    try {
      await this.#write(offsets)
      await onCommitted()
      return true
    } catch (thrown) {
      submitted.restoreCommittable(offsets)
      logger.warn('Offsets could not be committed; they are committed again at the next interval', {
        error: toError(thrown),
      })
      return false
    } finally {
      this.#isFlushing = false
    }
  }

  async #write(offsets: ReadonlyMap<SourcePartition, SourceOffset>): Promise<void> {
    const { connectorName, topic, producer, timeoutMs, clock } = this.#options
    for (const [partition, offset] of offsets) {
      topic.send({
        key: textPart(offsetKey(connectorName, partition)),
        value: textPart(offsetJson(offset.toDocument())),
        headers: [],
        partition: null,
        timestamp: null,
        token: this.#token++,
      })
    }
    await withTimeout(clock, timeoutMs, (signal) => producer.flush(signal))
  }
}

const NO_PREFIX = new Uint8Array(0)

function textPart(text: string): RecordPart {
  const buffer = Buffer.from(text)
  return { prefix: NO_PREFIX, buffer, start: 0, end: buffer.length }
}
