import type { Kafka, LogRecord, TopicReader } from '@tributary/kafka'
import type { EventsMessage, TopicEvent } from '@tributary/rest-api'
import { StoppedError, withTimeout, type Clock } from '@tributary/support'
import { verifyErrors } from '../errors.ts'
import type { ConverterOptions } from '../topic/record-decoder.ts'
import { type DecodedPart, PartReader } from './decoded-record.ts'
import { type EventFilter, parseFilter } from './event-filter.ts'
import { FoundEvents, SHOWN_BYTES_MAX, sizedEvent } from './found-events.ts'
import { type Offsets, ReopenedReader } from './reopened-reader.ts'
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

const SCAN_BYTES_MAX = 64 * 2 ** 20
const SCAN_MS_MAX = 20_000
/** A reader retries until then when no broker answers. */
const SILENT_MS_MAX = 20_000
const PROGRESS_MS = 500
/** What a person can look at; the others are counted. */
const NEW_PER_SECOND_MAX = 50
/** A page that is left open does not read for ever. */
const FOLLOW_MS_MAX = 15 * 60_000
/** Whatever waits: opening twice, the last records, and the new ones. */
const RUN_MS_MAX = FOLLOW_MS_MAX + SCAN_MS_MAX + 3 * SILENT_MS_MAX

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
  #matched = 0

  constructor(options: ViewTopicOptions) {
    this.#options = options
    this.#placeholders = placeholderTexts(options.unavailable)
    this.#filter = parseFilter(options.filter)
    this.#keys = new PartReader(options.converters.key, 'key', options.clock)
    this.#values = new PartReader(options.converters.value, 'value', options.clock)
  }

  async run(outer: AbortSignal): Promise<void> {
    const { clock } = this.#options
    try {
      await withTimeout(clock, RUN_MS_MAX, (signal) => this.#run(signal), outer)
    } catch (error) {
      if (outer.aborted || !(error instanceof StoppedError)) throw error
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { onMessage, scanLength } = this.#options
    const { starts, ends } = await this.#answered(signal, (limit) => this.#bounds(limit))
    const from = lastOffsets(starts, ends, Math.ceil(scanLength / Math.max(1, ends.size)))
    await using source = new ReopenedReader((offsets) => this.#answered(signal, (limit) => this.#open(offsets, limit)))
    await source.open(from)
    const limit = await this.#scan(source, ends, signal)
    // The newest ones are those that people look for. None is read twice.
    if (limit !== null) await source.open(source.newest(ends))
    onMessage({ tag: 'caught up', reason: limit })
    await this.#follow(source, signal)
  }

  /** @throws VERIFY_BROKERS_SILENT */
  async #answered<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, topic } = this.#options
    try {
      return await withTimeout(clock, SILENT_MS_MAX, ask, signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof StoppedError)) throw error
      throw verifyErrors.VERIFY_BROKERS_SILENT({ topic, seconds: SILENT_MS_MAX / 1_000 })
    }
  }

  async #bounds(signal: AbortSignal): Promise<Bounds> {
    await using reader = await this.#options.kafka.reader({ topic: this.#options.topic }, signal)
    const starts = new Map(reader.partitions.map((partition) => [partition, reader.position(partition)]))
    return { starts, ends: await reader.endOffsets(signal) }
  }

  /** Retention may have removed the records meanwhile. */
  async #open(offsets: Offsets, signal: AbortSignal): Promise<TopicReader> {
    const { kafka, topic } = this.#options
    const { starts, ends } = await this.#bounds(signal)
    const from = new Map(
      Array.from(ends, ([partition, end]) => {
        const start = starts.get(partition) ?? 0n
        const offset = offsets.get(partition) ?? start
        return [partition, offset < start ? start : offset > end ? end : offset]
      }),
    )
    return kafka.reader({ topic, from }, signal)
  }

  /** Reads to the ends. Returns the limit that was reached first, or null. */
  async #scan(source: ReopenedReader, ends: Offsets, signal: AbortSignal): Promise<string | null> {
    const { clock } = this.#options
    const startMs = clock.monotonicMs()
    let reportedMs = startMs
    let bytes = 0
    let limit: string | null = null
    const found = new FoundEvents()
    while (!source.hasReached(ends) && limit === null) {
      const records = await source.poll(signal)
      for (const record of records) bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
      await this.#prepare(records, signal)
      for (const match of this.#matches(records)) found.add(this.#event(match))
      if (bytes >= SCAN_BYTES_MAX) limit = `${SCAN_BYTES_MAX / 2 ** 20} MiB were read`
      else if (clock.monotonicMs() - startMs >= SCAN_MS_MAX) limit = `${SCAN_MS_MAX / 1_000} s had passed`
      if (clock.monotonicMs() - reportedMs < PROGRESS_MS) continue
      reportedMs = clock.monotonicMs()
      this.#report([])
    }
    this.#report(found.inOrder())
    if (limit === null || source.hasReached(ends)) return null
    return `${limit} before the newest records were reached: fewer of them are shown`
  }

  async #follow(source: ReopenedReader, signal: AbortSignal): Promise<void> {
    const { clock, onMessage } = this.#options
    const endMs = clock.monotonicMs() + FOLLOW_MS_MAX
    let heardMs = clock.monotonicMs()
    let second = { number: 0, events: 0, bytes: 0 }
    while (clock.monotonicMs() < endMs) {
      const records = await source.poll(signal)
      if (records.length > 0) heardMs = clock.monotonicMs()
      else if (clock.monotonicMs() - heardMs >= SILENT_MS_MAX) {
        // Without new records, poll does not show whether the brokers answer.
        await this.#answered(signal, (limit) => source.endOffsets(limit))
        heardMs = clock.monotonicMs()
      }
      const number = Math.floor(clock.monotonicMs() / 1_000)
      if (number !== second.number) second = { number, events: 0, bytes: 0 }
      await this.#prepare(records, signal)
      const shown: TopicEvent[] = []
      let skipped = 0
      for (const match of this.#matches(records)) {
        if (second.events >= NEW_PER_SECOND_MAX || second.bytes >= SHOWN_BYTES_MAX) skipped += 1
        else {
          const { event, bytes } = sizedEvent(this.#event(match))
          shown.push(event)
          second.events += 1
          second.bytes += bytes
        }
      }
      if (shown.length > 0) this.#report(shown)
      if (skipped > 0) onMessage({ tag: 'skipped', count: skipped })
    }
  }

  #report(events: readonly TopicEvent[]): void {
    this.#options.onMessage({ tag: 'events', events, scanned: this.#scanned, matched: this.#matched })
  }

  async #prepare(records: readonly LogRecord[], signal: AbortSignal): Promise<void> {
    if (records.length === 0) return
    await this.#keys.prepare(records, signal)
    await this.#values.prepare(records, signal)
  }

  /** One after the other: the documents of a whole batch could be too large. */
  *#matches(records: readonly LogRecord[]): Generator<Match> {
    for (const record of records) {
      const match = { record, key: this.#keys.read(record), value: this.#values.read(record) }
      this.#scanned += 1
      if (!this.#isWanted(match)) continue
      this.#matched += 1
      yield match
    }
  }

  #isWanted({ record: { partition, offset }, key, value }: Match): boolean {
    return this.#filter({
      partition,
      offset,
      key: key.document,
      keyText: key.text,
      value: value.document,
      valueText: value.text,
    })
  }

  #event({ record, key, value }: Match): TopicEvent {
    return topicEvent(record, key, value, this.#placeholders)
  }
}

interface Match {
  readonly record: LogRecord
  readonly key: DecodedPart
  readonly value: DecodedPart
}

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
