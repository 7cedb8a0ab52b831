import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import { CodedError, StoppedError, type Clock, type Timer } from '@tributary/support'
import type { Output } from './output.ts'
import type { RecordFormat } from './record-format.ts'

export interface TopicWatcherOptions {
  readonly kafka: Kafka
  readonly topic: string
  /** Where to begin when the topic is there already. One that appears later is read from its start. */
  readonly from: 'earliest' | 'latest'
  readonly format: RecordFormat
  readonly output: Output
  /** End after so many records; null: never. */
  readonly maxMessages: number | null
  /** End when nothing came for so long; null: never. */
  readonly timeoutMs: number | null
  readonly clock: Clock
  /** Tells what is waited for, once each time it begins. */
  readonly onNote: (text: string) => void
}

/**
 * Why watching ended: the signal, `maxMessages`, `timeoutMs`, nobody reads the output any more, or the time was up before the topic
 * could be read at all.
 */
export type WatchEnd = 'stopped' | 'enough' | 'quiet' | 'unread' | 'neverOpened'

/**
 * Shows the records of a topic as they come. Brokers that are away are waited for by the reader; a topic that is not there, or is
 * deleted meanwhile, is waited for here.
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

  /** Runs until one of the ends; rejects with what waiting cannot mend. */
  async run(signal: AbortSignal): Promise<WatchEnd> {
    this.#expectRecords()
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
      // What comes next is all new.
      from = 'earliest'
      await this.#untilItExists(signal)
    }
  }

  /** Null: there is no such topic. */
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

  async #untilItExists(signal: AbortSignal): Promise<void> {
    const { kafka, topic, clock } = this.#options
    await using admin = kafka.admin()
    while ((await admin.describeTopic(topic, signal)) === null) await clock.sleep(LOOK_AGAIN_MS, signal)
  }

  /** Null: the topic is gone. */
  async #show(reader: TopicReader, signal: AbortSignal): Promise<WatchEnd | null> {
    const { output, maxMessages, format } = this.#options
    await using _reader = reader
    try {
      for (;;) {
        const polled = await reader.poll(signal)
        if (polled.length === 0) continue
        const records = maxMessages === null ? polled : polled.slice(0, maxMessages - this.#shown)
        await format.prepare?.(records, signal)
        if (!(await output.write(this.#bytes(records)))) return 'unread'
        this.#shown += records.length
        if (this.#shown === maxMessages) return 'enough'
        this.#expectRecords()
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

  /** From now on the time-out counts anew. */
  #expectRecords(): void {
    const { clock, timeoutMs } = this.#options
    if (timeoutMs === null) return
    this.#quietTimer?.cancel()
    this.#quietTimer = clock.after(timeoutMs, () => this.#quiet.abort())
  }
}

/** Soon enough for a person who creates the topic in another window. */
const LOOK_AGAIN_MS = 500

function isUnknownTopic(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'UNKNOWN_TOPIC'
}
