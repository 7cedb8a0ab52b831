import type { Kafka, TopicReader } from '@tributary/kafka'
import { CodedError, throwIfStopped } from '@tributary/support'
import { parseEvent, type TopicEvent } from './change-event.ts'
import { demoErrors } from './errors.ts'

export interface EventLogOptions {
  readonly kafka: Kafka
  /** Called while the log waits for events; throws when no more can arrive. */
  readonly watchdog: () => Promise<unknown>
  /** Reads the log of Tributary, which is shown when events are missing. */
  readonly readLog: () => Promise<string>
  readonly signal: AbortSignal
}

/** Long enough for the first start on a busy machine. */
const EVENT_LIMIT_MS = 90_000

/** Reads the topics of the tables as a consumer does: each call continues where the last one ended. */
export class EventLog implements AsyncDisposable {
  readonly #options: EventLogOptions
  readonly #readers = new Map<string, TopicReader>()
  readonly #arrived = new Map<string, TopicEvent[]>()

  constructor(options: EventLogOptions) {
    this.#options = options
  }

  /** Returns the next `count` events of a topic. Throws DEMO_EVENT_MISSING when they do not arrive in time. */
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

  /** Returns all events of a topic, read again from its beginning. */
  async everything(topic: string): Promise<readonly TopicEvent[]> {
    const { kafka, signal } = this.#options
    const events: TopicEvent[] = []
    await using reader = await kafka.reader({ topic }, signal)
    await reader.readToEnd((record) => events.push(parseEvent(record)), signal)
    return events
  }

  /** Returns null while the topic does not exist. */
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
