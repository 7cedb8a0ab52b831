import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import type { EventsMessage, TopicEvent } from '@tributary/rest-api'
import { StoppedError, withTimeout, type Clock } from '@tributary/support'
import { verifyErrors } from '../errors.ts'
import type { ConverterOptions } from '../topic/record-decoder.ts'
import { PartReader } from './decoded-record.ts'
import { type EventFilter, parseFilter } from './event-filter.ts'
import { placeholderTexts, topicEvent } from './topic-event.ts'

export interface ViewTopicOptions {
  readonly topic: string
  /** How many of the last records are looked through. */
  readonly scanLength: number
  readonly filter: string
  readonly converters: { readonly key: ConverterOptions; readonly value: ConverterOptions }
  /** `unavailable.value.placeholder` */
  readonly unavailable: string
  readonly kafka: Kafka
  readonly onMessage: (message: EventsMessage) => void
  readonly clock: Clock
}

/** The last ones that match are shown. */
const SHOWN_MAX = 200
const SHOWN_LENGTH_MAX = 4_000_000
const SCAN_BYTES_MAX = 64 * 2 ** 20
const SCAN_MS_MAX = 20_000
/** A reader retries until then when no broker answers. */
const OPEN_MS_MAX = 20_000
const PROGRESS_MS = 500
/** What a person can look at; the others are counted. */
const NEW_PER_SECOND_MAX = 50
/** A page that is left open does not read for ever. */
const FOLLOW_MS_MAX = 15 * 60_000

/**
 * Reads the last records of a topic and then the new ones, and passes those on that match the filter. It ends after
 * fifteen minutes, or when the signal fires. Its memory and what it passes on are bounded, whatever the records are.
 *
 * @throws UNKNOWN_TOPIC, NOT_AUTHORIZED and other errors of the brokers, StoppedError
 */
export async function viewTopic(options: ViewTopicOptions, signal: AbortSignal): Promise<void> {
  await new TopicView(options).run(signal)
}

class TopicView {
  readonly #options: ViewTopicOptions
  readonly #filter: EventFilter
  readonly #keys: PartReader
  readonly #values: PartReader
  readonly #placeholders: ReadonlySet<string>
  #scanned = 0

  constructor(options: ViewTopicOptions) {
    this.#options = options
    this.#placeholders = placeholderTexts(options.unavailable)
    this.#filter = parseFilter(options.filter)
    this.#keys = new PartReader(options.converters.key, 'key', options.clock)
    this.#values = new PartReader(options.converters.value, 'value', options.clock)
  }

  async run(signal: AbortSignal): Promise<void> {
    const { kafka, topic, clock, onMessage, scanLength } = this.#options
    const { starts, ends } = await this.#open(signal)
    const from = lastOffsets(starts, ends, Math.ceil(scanLength / Math.max(1, ends.size)))
    let reader = await kafka.reader({ topic, from }, signal)
    try {
      const isComplete = await this.#scan(reader, ends, signal)
      if (!isComplete) {
        await reader.close()
        // The newest ones are those that people look for.
        reader = await kafka.reader({ topic, from: lastOffsets(starts, ends, 1) }, signal)
      }
      const limit = `${SCAN_BYTES_MAX / 2 ** 20} MiB or ${SCAN_MS_MAX / 1_000} s were read before the newest records were reached: fewer of them are shown`
      onMessage({ tag: 'caught up', reason: isComplete ? null : limit })
      await this.#follow(reader, clock.monotonicMs() + FOLLOW_MS_MAX, signal)
    } finally {
      await reader.close()
    }
  }

  async #open(signal: AbortSignal): Promise<Bounds> {
    const { clock, topic } = this.#options
    try {
      return await withTimeout(clock, OPEN_MS_MAX, (limit) => this.#bounds(limit), signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof StoppedError)) throw error
      throw verifyErrors.VERIFY_BROKERS_SILENT({ topic, seconds: OPEN_MS_MAX / 1_000 })
    }
  }

  async #bounds(signal: AbortSignal): Promise<Bounds> {
    const { kafka, topic } = this.#options
    await using reader = await kafka.reader({ topic }, signal)
    const starts = new Map(reader.partitions.map((partition) => [partition, reader.position(partition)]))
    return { starts, ends: await reader.endOffsets(signal) }
  }

  /** Reads to the ends. False: a limit was reached first. */
  async #scan(reader: TopicReader, ends: Offsets, signal: AbortSignal): Promise<boolean> {
    const { clock, onMessage } = this.#options
    const startMs = clock.monotonicMs()
    let reportedMs = startMs
    let bytes = 0
    const found = new Found()
    const isRead = (): boolean =>
      reader.partitions.every((partition) => reader.position(partition) >= (ends.get(partition) ?? 0n))
    while (!isRead() && bytes < SCAN_BYTES_MAX && clock.monotonicMs() - startMs < SCAN_MS_MAX) {
      const records = await reader.poll(signal)
      for (const record of records) bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
      for (const event of await this.#matching(records, signal)) found.add(event)
      if (clock.monotonicMs() - reportedMs < PROGRESS_MS) continue
      reportedMs = clock.monotonicMs()
      onMessage({ tag: 'events', events: [], scanned: this.#scanned })
    }
    onMessage({ tag: 'events', events: found.inOrder(), scanned: this.#scanned })
    return isRead()
  }

  async #follow(reader: TopicReader, endMs: number, signal: AbortSignal): Promise<void> {
    const { clock, onMessage } = this.#options
    let second = 0
    let sent = 0
    while (clock.monotonicMs() < endMs) {
      const records = await reader.poll(signal)
      if (records.length === 0) continue
      const now = Math.floor(clock.monotonicMs() / 1_000)
      if (now !== second) [second, sent] = [now, 0]
      const events = await this.#matching(records, signal)
      const shown = events.slice(0, Math.max(0, NEW_PER_SECOND_MAX - sent))
      sent += shown.length
      if (shown.length > 0) onMessage({ tag: 'events', events: shown, scanned: this.#scanned })
      if (shown.length < events.length) onMessage({ tag: 'skipped', count: events.length - shown.length })
    }
  }

  async #matching(records: readonly LogRecord[], signal: AbortSignal): Promise<readonly TopicEvent[]> {
    await this.#keys.prepare(records, signal)
    await this.#values.prepare(records, signal)
    this.#scanned += records.length
    const events: TopicEvent[] = []
    for (const record of records) {
      const [key, value] = [this.#keys.read(record), this.#values.read(record)]
      const { partition, offset } = record
      const isWanted = this.#filter({
        partition,
        offset,
        key: key.document,
        keyText: key.text,
        value: value.document,
        valueText: value.text,
      })
      if (isWanted) events.push(topicEvent(record, key, value, this.#placeholders))
    }
    return events
  }
}

type Offsets = ReadonlyMap<number, bigint>

interface Bounds {
  readonly starts: Offsets
  readonly ends: Offsets
}

/** From where the last so many records of each partition are, if none was removed. */
function lastOffsets(starts: Offsets, ends: Offsets, count: number): Offsets {
  return new Map(
    Array.from(ends, ([partition, end]) => {
      const start = starts.get(partition) ?? 0n
      const from = end - BigInt(count)
      return [partition, from > start ? from : start]
    }),
  )
}

/** The latest events that were found. */
class Found {
  #events: TopicEvent[] = []
  #length = 0

  add(event: TopicEvent): void {
    this.#events.push(event)
    this.#length += lengthOf(event)
    // A partition is read in parts: without a reserve, all of those kept could be of one.
    if (this.#events.length > 2 * SHOWN_MAX || this.#length > SHOWN_LENGTH_MAX) this.#forget()
  }

  #forget(): void {
    this.#events = this.inOrder()
    while (this.#length > SHOWN_LENGTH_MAX) {
      const oldest = this.#events.shift()
      if (oldest === undefined) break
      this.#length -= lengthOf(oldest)
    }
  }

  /** Oldest first. */
  inOrder(): TopicEvent[] {
    const sorted = this.#events.toSorted(
      (a, b) =>
        a.timestamp - b.timestamp || a.partition - b.partition || (BigInt(a.offset) < BigInt(b.offset) ? -1 : 1),
    )
    const kept = sorted.slice(-SHOWN_MAX)
    this.#length = kept.reduce((sum, event) => sum + lengthOf(event), 0)
    return kept
  }
}

function lengthOf({ key, value, fields, source }: TopicEvent): number {
  const texts = [key, value, ...fields.flatMap(({ before, after }) => [before, after]), ...Object.values(source)]
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}
