import type { SchemaAnnouncement, SourceRecord } from '@tributary/connect-api'
import { haveSameSchemas } from './registrations.ts'
import type { CompatibilityChecks } from './compatibility-checks.ts'
import type { OpenTopic, OpenTopics } from './open-topics.ts'
import type { SchemaRegistrar } from './schema-registrar.ts'
import type { TopicOpener } from './topic-opener.ts'

export interface RecordGateOptions {
  readonly openTopics: OpenTopics
  readonly opener: Pick<TopicOpener, 'open' | 'openAhead' | 'forgetTopics'>
  readonly registrar: Pick<SchemaRegistrar, 'register'>
  readonly checks: Pick<CompatibilityChecks, 'announce' | 'settled' | 'settledOrLate'>
}

/** The records of a poll after the transformations, in the order of the poll; null where one was dropped. */
export type TransformedRecords = readonly (SourceRecord | null)[]

/**
 * Admits the records of a poll to being encoded and sent: a record is admitted when its topic is open and both of its
 * schemas are registered.
 *
 * ```
 *  records   r0 r1 r2 │ r3 r4 r5 r6
 *            admitted │ r3 waits: its topic is opened, its schemas are registered,
 *            send now │ and those of r4 … r6 side by side with them
 * ```
 *
 * `admit` returns the end of the admitted prefix. Nearly always that is the whole poll, found by comparing references,
 * without a promise and without an allocation. Otherwise the caller sends the prefix and calls `admit` again, which
 * waits for the first record after it. So a record that cannot be admitted fails the task only after all records before
 * it were sent, and an unreachable registry does not delay records that do not need it.
 */
export class RecordGate {
  readonly #options: RecordGateOptions
  /** The poll whose other topics are being opened. */
  #openedAhead: TransformedRecords | null = null
  /** The poll whose other schemas were registered, as far as possible. */
  #registeredAhead: TransformedRecords | null = null

  constructor(options: RecordGateOptions) {
    this.#options = options
  }

  /**
   * Returns the end of the records that are admitted, counted from the start of the poll. It is greater than `from`;
   * a promise is returned only where the record at `from` has to wait.
   *
   * The promise rejects with StoppedError when the signal fires or the producer fails, with RECORD_FAILED when a
   * registry refuses a schema, and with the error of the brokers when the topic cannot be opened.
   */
  admit(records: TransformedRecords, from: number, signal: AbortSignal): number | Promise<number> {
    const end = this.#admittedEnd(records, from)
    const waiting = records[from]
    if (end > from || waiting === undefined || waiting === null) return end
    return this.#wait(waiting, records, signal).then(() => this.#admittedEnd(records, from))
  }

  /** Nearly all records have topic and schemas of the record before them, and are admitted with it. */
  #admittedEnd(records: TransformedRecords, from: number): number {
    const { openTopics } = this.#options
    let before: SourceRecord | null = null
    for (let i = from; i < records.length; i++) {
      const record = records[i] as SourceRecord | null
      if (record === null || (before !== null && haveSameSchemas(record, before))) continue
      if (openTopics.find(record.topic)?.isReadyFor(record) !== true) return i
      before = record
    }
    return records.length
  }

  async #wait(record: SourceRecord, records: TransformedRecords, signal: AbortSignal): Promise<void> {
    const { openTopics, opener, registrar, checks } = this.#options
    if (openTopics.find(record.topic) === null) {
      this.#openAhead(records, signal)
      openTopics.add(await opener.open(record.topic, signal))
    }
    if (openTopics.find(record.topic)?.isReadyFor(record) === true) return
    // A schema that the registry will refuse is logged before the task fails on it.
    await checks.settledOrLate(signal)
    const ahead = this.#registeredAhead === records ? [] : records
    this.#registeredAhead = records
    await registrar.register(record, ahead, signal)
  }

  #openAhead(records: TransformedRecords, signal: AbortSignal): void {
    const { openTopics, opener } = this.#options
    if (this.#openedAhead === records) return
    this.#openedAhead = records
    const names = new Set<string>()
    for (const record of records) if (record !== null) names.add(record.topic)
    opener.openAhead(
      [...names].filter((name) => openTopics.find(name) === null),
      signal,
    )
  }

  /** Null: the topic was closed since the record was admitted; it has to be admitted again. */
  openTopic(name: string): OpenTopic | null {
    return this.#options.openTopics.find(name)
  }

  /** Checks, beside the loop, whether the registry will accept the schemas of later records. */
  announce(announced: readonly SchemaAnnouncement[], signal: AbortSignal): void {
    this.#options.checks.announce(announced, signal)
  }

  /** Every topic is opened, and reported, again before the next record for it. */
  forgetTopics(): void {
    const { openTopics, opener } = this.#options
    openTopics.clear()
    opener.forgetTopics()
  }

  /** Resolves when no check runs beside the loop any more. */
  settled(): Promise<void> {
    return this.#options.checks.settled()
  }
}
