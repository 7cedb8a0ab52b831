import type { Kafka, TopicReader } from '@tributary/kafka'
import { CodedError, throwIfStopped } from '@tributary/support'
import { parseEvent, type TopicEvent } from './change-event.ts'
import { demoErrors } from './errors.ts'

export interface EventLogOptions {
  readonly kafka: Kafka
  /** Called while events are waited for; throws when none can come any more. */
  readonly watchdog: () => Promise<unknown>
  /** For the error when events do not come. */
  readonly readLog: () => Promise<string>
  readonly signal: AbortSignal
}

/** Long enough for a first start on a busy machine. */
const EVENT_LIMIT_MS = 90_000

/** Reads the topics of the tables as a consumer does: each from where the last reading ended. */
export class EventLog implements AsyncDisposable {
  readonly #options: EventLogOptions
  readonly #readers = new Map<string, TopicReader>()
  readonly #arrived = new Map<string, TopicEvent[]>()

  constructor(options: EventLogOptions) {
    this.#options = options
  }

  /** The next `count` events of a topic; more than that stay for the next call. */
  async next(topic: string, count: number): Promise<readonly TopicEvent[]> {
    const { watchdog, readLog, signal } = this.#options
    const arrived = this.#arrived.get(topic) ?? []
    this.#arrived.set(topic, arrived)
    const endMs = performance.now() + EVENT_LIMIT_MS
    while (arrived.length < count) {
      throwIfStopped(signal)
      if (performance.now() > endMs) {
        const lastLines = (await readLog())
          .trimEnd()
          .split('\n')
          .slice(-12)
          .map((line) => `\n    ${line}`)
          .join('')
        throw demoErrors.DEMO_EVENT_MISSING({
          topic,
          found: arrived.length,
          count,
          timeoutMs: EVENT_LIMIT_MS,
          lastLines,
        })
      }
      const reader = await this.#reader(topic)
      const records = reader === null ? [] : await reader.poll(signal)
      for (const record of records) arrived.push(parseEvent(record))
      if (records.length === 0) await watchdog()
    }
    return arrived.splice(0, count)
  }

  /** Everything that the topic holds now, read anew from its beginning. */
  async everything(topic: string): Promise<readonly TopicEvent[]> {
    const { kafka, signal } = this.#options
    const events: TopicEvent[] = []
    await using reader = await kafka.reader({ topic }, signal)
    await reader.readToEnd((record) => events.push(parseEvent(record)), signal)
    return events
  }

  /** Null: the topic is not there yet. */
  async #reader(topic: string): Promise<TopicReader | null> {
    const known = this.#readers.get(topic)
    if (known !== undefined) return known
    try {
      const reader = await this.#options.kafka.reader({ topic }, this.#options.signal)
      this.#readers.set(topic, reader)
      return reader
    } catch (error) {
      if (error instanceof CodedError && error.code === 'UNKNOWN_TOPIC') return null
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const reader of this.#readers.values()) await reader.close()
  }
}
