import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { CodedError, StoppedError, type Clock, type Timer } from '@tributary/support'
import type { Output } from './output.ts'
import type { RecordFormat } from './record-format.ts'

export interface TopicWatcherOptions {
  readonly kafka: Kafka
  readonly topic: string
  /** Where to start in a topic that exists already. A topic that is created later is read from its start. */
  readonly from: 'earliest' | 'latest'
  readonly format: RecordFormat
  readonly output: Output
  /** The watcher ends after this many records; null for no limit. */
  readonly maxMessages: number | null
  /** The watcher ends when no record arrives for this time; null for no limit. */
  readonly timeoutMs: number | null
  readonly clock: Clock
  /** Called once for each wait, with its reason. */
  readonly onNote: (text: string) => void
}

/**
 * Why the watcher ended: `stopped` by the signal, `enough` by `maxMessages`, `quiet` by `timeoutMs`, `unread` because
 * the reader of the output closed it, `neverOpened` by `timeoutMs` before the topic could be read at all.
 */
export type WatchEnd = 'stopped' | 'enough' | 'quiet' | 'unread' | 'neverOpened'

/**
 * Prints the records of a topic as they arrive. Waits for a topic that does not exist or is deleted; the reader waits
 * for unreachable brokers.
 */
export class TopicWatcher {
  readonly #options: TopicWatcherOptions
  readonly #quiet = new AbortController()
  #quietTimer: Timer | null = null
  #shown = 0
  #wasOpened = false

  constructor(options: TopicWatcherOptions) {
    this.#options = options
  }

  /** Runs until one of the ends. Throws errors that waiting cannot fix. */
  async run(signal: AbortSignal): Promise<WatchEnd> {
    this.#restartTimeout()
    try {
      return await this.#watch(AbortSignal.any([signal, this.#quiet.signal]))
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
      if (signal.aborted) return 'stopped'
      return this.#wasOpened ? 'quiet' : 'neverOpened'
    } finally {
      this.#quietTimer?.cancel()
    }
  }

  async #watch(signal: AbortSignal): Promise<WatchEnd> {
    const { topic, onNote } = this.#options
    let { from } = this.#options
    for (;;) {
      const reader = await this.#open(from, signal)
      if (reader === null) onNote(`topic ${topic} does not exist; waiting for it`)
      else {
        const end = await this.#show(reader, signal)
        if (end !== null) return end
        onNote(`topic ${topic} was deleted; waiting for it`)
      }
      // All records of a topic that is created now are new.
      from = 'earliest'
      await this.#waitForTopic(signal)
    }
  }

  /** Returns null if the topic does not exist. */
  async #open(from: 'earliest' | 'latest', signal: AbortSignal): Promise<TopicReader | null> {
    const { kafka, topic } = this.#options
    try {
      const reader = await kafka.reader({ topic, from }, signal)
      this.#wasOpened = true
      return reader
    } catch (error) {
      if (isUnknownTopic(error)) return null
      throw error
    }
  }

  async #waitForTopic(signal: AbortSignal): Promise<void> {
    const { kafka, topic, clock } = this.#options
    await using admin = kafka.admin()
    while ((await admin.describeTopic(topic, signal)) === null) await clock.sleep(TOPIC_POLL_MS, signal)
  }

  /** Returns null when the topic has been deleted. */
  async #show(reader: TopicReader, signal: AbortSignal): Promise<WatchEnd | null> {
    const { output, maxMessages, format } = this.#options
    await using _reader = reader
    try {
      for (;;) {
        const polled = await reader.poll(signal)
        if (polled.length === 0) continue
        const records = maxMessages === null ? polled : polled.slice(0, maxMessages - this.#shown)
        await format.loadSchemas?.(records, signal)
        if (!(await output.write(this.#bytes(records)))) return 'unread'
        this.#shown += records.length
        if (this.#shown === maxMessages) return 'enough'
        this.#restartTimeout()
      }
    } catch (error) {
      if (isUnknownTopic(error)) return null
      throw error
    }
  }

  #bytes(records: readonly LogRecord[]): Buffer {
    const { format } = this.#options
    return Buffer.concat(records.map((record) => format.format(record)))
  }

  /** Restarts the time-out. */
  #restartTimeout(): void {
    const { clock, timeoutMs } = this.#options
    if (timeoutMs === null) return
    this.#quietTimer?.cancel()
    this.#quietTimer = clock.after(timeoutMs, () => this.#quiet.abort())
  }
}

/** Short enough for a person who has just created the topic. */
const TOPIC_POLL_MS = 500

function isUnknownTopic(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'UNKNOWN_TOPIC'
}
