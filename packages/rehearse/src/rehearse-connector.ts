import type { OffsetDocument, SourcePartition } from '@tributary/connect-api'
import type { Kafka, LogRecord } from '@tributary/kafka'
import { type Plugins, runShadow, type ShadowSummary, shadowConverters } from '@tributary/runtime'
import { type Clock, type Logger, nextTurn, StoppedError, type Timer } from '@tributary/support'
import { Comparison, type FinishedComparison } from './compare/comparison.ts'
import { type ConverterOptions, kindOfConverter, PartReader } from './compare/part-readers.ts'
import { comparePlaces, type Place, placeOf } from './compare/place.ts'
import { Window } from './compare/window.ts'
import { isObject } from './compare/json-value.ts'
import type { IsEarly } from './debezium/topic-start.ts'
import { TopicFollowers } from './debezium/topic-followers.ts'
import { rehearseErrors } from './errors.ts'
import { notComparedNotes } from './not-compared.ts'
import { hasPassed, storedPlace, type StoredPlace } from './position.ts'
import type { Rehearsal } from './result.ts'
import { type ShadowConfig, shadowConfig } from './shadow/shadow-config.ts'
import { WatchedLog } from './shadow/watched-log.ts'

type Offset = Readonly<Record<string, unknown>>

export interface RehearseOptions {
  readonly connector: string
  /** The configuration of the connector, and that of its worker, with the values of references. */
  readonly config: Readonly<Record<string, string>>
  readonly workerProperties: Readonly<Record<string, string>>
  readonly plugins: Plugins
  /** Of the topics with its records. */
  readonly kafka: Kafka
  readonly stored: { readonly partition: SourcePartition; readonly offset: OffsetDocument }
  /** When it was read. */
  readonly storedAtMs: number
  /** The present offset of the connector; null: it cannot be read. */
  readonly currentOffset: (signal: AbortSignal) => Promise<Offset | null>
  /** Topics that the connector has written, besides those that the rehearsal will name. */
  readonly topics: (signal: AbortSignal) => Promise<readonly string[]>
  readonly serverId?: number | undefined
  readonly durationMs: number
  readonly onProgress: (line: string) => void
  readonly clock: Clock
  readonly logger: Logger
}

export type ComparedRehearsal = Omit<Rehearsal, 'move' | 'back'>

/**
 * Runs a connector in the shadow of itself for a while, and compares its records with those that the running one writes
 * meanwhile. Writes nothing, neither to Kafka nor to the source; when it has ended, there is nothing to remove.
 *
 * @throws REHEARSE_CONVERTER, REHEARSE_NOT_BEGUN, and the errors that would make the task fail
 */
export async function rehearseConnector(options: RehearseOptions, signal: AbortSignal): Promise<ComparedRehearsal> {
  const run = new RehearsalRun(options)
  return run.result(signal)
}

/** @throws REHEARSE_CONVERTER when the records of a connector cannot be compared */
export function checkConverters(
  workerProperties: Readonly<Record<string, string>>,
  config: Readonly<Record<string, string>>,
): { readonly key: ConverterOptions; readonly value: ConverterOptions } {
  const converters = shadowConverters(workerProperties, config)
  for (const side of ['key', 'value'] as const) {
    const { className } = converters[side]
    if (kindOfConverter(converters[side]) === 'unsupported') {
      throw rehearseErrors.REHEARSE_CONVERTER({ property: `${side}.converter`, className })
    }
  }
  return converters
}

class RehearsalRun {
  readonly #options: RehearseOptions
  readonly #shadow: ShadowConfig
  readonly #keys: PartReader
  readonly #values: PartReader
  readonly #stored: StoredPlace
  readonly #comparison: Comparison
  readonly #window: Window
  readonly #followers: TopicFollowers
  readonly #log: WatchedLog
  /** When the first poll ended, by the monotonic clock. */
  #beganMs: number | null = null
  /** The side with more waiting records than the memory limit allows. */
  #full: 'ours' | 'theirs' | null = null
  #shadowed: ShadowSummary = { skipped: 0, isPollFailing: false }

  constructor(options: RehearseOptions) {
    const { config, workerProperties, stored, storedAtMs, kafka, clock, logger, serverId } = options
    const { key, value } = checkConverters(workerProperties, config)
    this.#options = options
    this.#keys = new PartReader(key, 'key')
    this.#values = new PartReader(value, 'value')
    const avro = { isKeyAvro: this.#keys.isAvro, isValueAvro: this.#values.isAvro }
    this.#shadow = shadowConfig(config, { serverId, ...avro })
    this.#stored = storedPlace(stored.offset)
    this.#log = new WatchedLog(logger)
    const { place, isWithin } = this.#stored
    this.#window = new Window({ from: place, isWithin, startMs: storedAtMs })
    this.#comparison = new Comparison({
      keys: this.#keys,
      values: this.#values,
      window: this.#window,
      partitionsOf: (topic) => this.#followers.partitionsOf(topic),
    })
    this.#followers = new TopicFollowers({
      kafka,
      isEarly: this.#isEarly,
      onRecords: (records) => this.#found(records),
      clock,
    })
  }

  async result(signal: AbortSignal): Promise<ComparedRehearsal> {
    const { clock } = this.#options
    await using followers = this.#followers
    await this.#runShadow(signal)
    const seconds = this.#beganMs === null ? 0 : Math.round((clock.monotonicMs() - this.#beganMs) / 1000)
    const finished = signal.aborted ? null : await this.#finish(followers, signal)
    return this.#document(seconds, finished)
  }

  /**
   * Runs until the time is over and all records written by then are read, memory is full, or the command is cancelled.
   */
  async #runShadow(signal: AbortSignal): Promise<void> {
    const { connector, plugins, workerProperties, stored, durationMs, clock } = this.#options
    const ending = new AbortController()
    /** When the time was over, in milliseconds since 1970. */
    let overMs: number | null = null
    let changedMs = 0
    let hasRecords = false
    const end = (): void => {
      this.#window.end(overMs ?? clock.now())
      ending.abort()
    }
    using timers = new DisposableStack()
    const endLater = (ms: number): Timer => {
      const timer = clock.after(ms, end)
      timers.defer(() => timer.cancel())
      return timer
    }
    const beginning = endLater(BEGIN_MS_MAX)
    const both = AbortSignal.any([signal, ending.signal])
    let shownMs = clock.monotonicMs()
    this.#shadowed = await runShadow(
      {
        connectorName: `${connector}-rehearsal`,
        plugins,
        taskConfig: this.#shadow.config,
        workerProperties,
        stored,
        onRecord: (record) => {
          this.#followers.follow(record.topic)
          this.#comparison.made(record)
          hasRecords = true
          changedMs = record.changedAtMs ?? changedMs
        },
        onPolled: async () => {
          this.#followers.throwIfFailed()
          if (this.#beganMs === null && !this.#cannotBegin) {
            this.#beganMs = clock.monotonicMs()
            beginning.cancel()
            const over = clock.after(durationMs, () => (overMs = clock.now()))
            timers.defer(() => over.cancel())
            endLater(durationMs + CATCH_UP_MS_MAX)
          }
          if (overMs !== null && (!hasRecords || changedMs > overMs - CAUGHT_UP_MS)) end()
          hasRecords = false
          const { ours, theirs } = this.#comparison.bytes
          if (ours + theirs > WAITING_BYTES_MAX) {
            this.#full = ours > theirs ? 'ours' : 'theirs'
            end()
          }
          if (clock.monotonicMs() - shownMs < PROGRESS_MS) return
          shownMs = clock.monotonicMs()
          this.#showProgress()
          await Promise.resolve()
        },
        clock,
        logger: this.#log,
      },
      both,
    )
    this.#window.end(clock.now())
    if (this.#beganMs !== null || signal.aborted) return
    const reason = this.#log.warnings.at(-1) ?? 'the database or the brokers of the schema history do not answer'
    throw rehearseErrors.REHEARSE_NOT_BEGUN({ seconds: BEGIN_MS_MAX / 1000, reason })
  }

  get #cannotBegin(): boolean {
    return /^(Cannot begin yet|The source could not be polled)/.test(this.#log.warnings.at(-1) ?? '')
  }

  #showProgress(): void {
    const { rehearsed, compared, equal } = this.#comparison.tally.counts
    const waiting = this.#comparison.waiting
    this.#options.onProgress(
      `${rehearsed} records made, ${compared} compared, ${compared - equal} of them different without a reason; ${waiting} wait for Kafka Connect`,
    )
  }

  /** A record that is not needed: its change is before the offset. */
  readonly #isEarly: IsEarly = async (record) => {
    const { place, changedMs } = this.#stored
    const { clock } = this.#options
    await this.#values.prepare([record.value], this.#ended.signal)
    const payload = this.#values.theirs(record.value)?.payload
    const own = isObject(payload) ? placeOf(payload['source']) : null
    const order = own === null || place === null ? null : comparePlaces(own, place)
    if (order !== null) return order < 0
    return record.timestamp < (changedMs ?? clock.now()) - EARLY_MS
  }

  readonly #ended = new AbortController()

  async #found(records: readonly LogRecord[]): Promise<void> {
    await this.#keys.prepare(
      records.map(({ key }) => key),
      this.#ended.signal,
    )
    await this.#values.prepare(
      records.map(({ value }) => value),
      this.#ended.signal,
    )
    for (const [i, record] of records.entries()) {
      if (i % TAKEN_PER_TURN === TAKEN_PER_TURN - 1) await nextTurn()
      this.#comparison.found(record)
    }
  }

  /**
   * Waits until the connector has sent the records that the rehearsal has made, as long as it makes progress.
   *
   * @returns null: cancelled, so that nothing is known about records without a counterpart
   */
  async #finish(followers: TopicFollowers, signal: AbortSignal): Promise<FinishedComparison | null> {
    const { clock, topics, currentOffset, onProgress } = this.#options
    const comparison = this.#comparison
    let offset: Offset | null = null
    try {
      if (comparison.waiting > 0) onProgress(`waiting for Kafka Connect to send ${comparison.waiting} records`)
      let progress = { waiting: comparison.waiting, sinceMs: clock.monotonicMs() }
      while (comparison.mayStillArrive && clock.monotonicMs() - progress.sinceMs < LATE_MS_MAX) {
        followers.throwIfFailed()
        await clock.sleep(POLL_MS, signal)
        if (comparison.waiting !== progress.waiting) {
          progress = { waiting: comparison.waiting, sinceMs: clock.monotonicMs() }
        }
      }
      // First the offset: what is before it has been acknowledged by then.
      offset = await currentOffset(signal)
      await clock.sleep(SETTLE_MS, signal)
      await followers.readOnce(await topics(signal), signal)
      await followers.catchUp(signal)
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
    if (signal.aborted) return null
    const last = offset
    return comparison.finish((place: Place | null) => last !== null && hasPassed(last, place))
  }

  /** @param finished null: cancelled */
  #document(seconds: number, finished: FinishedComparison | null): ComparedRehearsal {
    const { connector, stored } = this.#options
    const { tally } = this.#comparison
    const { skipped, isPollFailing } = this.#shadowed
    const notCompared = notComparedNotes({
      ...(finished ?? { late: 0, unplaced: 0, unreached: 0 }),
      skipped,
      isPollFailing,
      full: this.#full,
      dropped: tally.dropped,
      compared: tally.counts.compared,
      avro: [...(this.#keys.isAvro ? ['keys'] : []), ...(this.#values.isAvro ? ['values'] : [])],
    })
    const state = tally.hasUnnamed ? 'DIFFERENT' : notCompared.length > 0 ? 'UNPROVEN' : 'AS_BEFORE'
    return {
      connector,
      state: finished === null ? 'CANCELLED' : state,
      seconds,
      from: stored.offset,
      records: tally.counts,
      topics: tally.topics,
      differences: tally.groups,
      not_compared: notCompared,
      changed: this.#shadow.changed,
      warnings: this.#log.warnings,
    }
  }
}

/** As long as a task may need for a long schema history and slow brokers. */
const BEGIN_MS_MAX = 180_000
/** Short, so that a long batch does not delay the source, timers and Ctrl-C. */
const TAKEN_PER_TURN = 500
/** The time for a lagging source to read the changes from before the end. */
const CATCH_UP_MS_MAX = 60_000
/** Times of changes have seconds. */
const CAUGHT_UP_MS = 2_000
const PROGRESS_MS = 5_000
const POLL_MS = 250
/** Without any progress for so long, the connector does not continue. */
const LATE_MS_MAX = 90_000
/** Batches of a producer to several brokers arrive in any order. */
const SETTLE_MS = 3_000
/** Records are sent after their change, but clocks differ. */
const EARLY_MS = 60_000
const WAITING_BYTES_MAX = 256 * 2 ** 20
