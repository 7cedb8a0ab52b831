import type { OffsetDocument, SourcePartition } from './record.ts'

/**
 * How long a source keeps what a connector still needs, as a probe has just measured it. Moments are milliseconds since
 * 1970 by the clock that the probe was given.
 */
export interface LossForecast {
  /**
   * `kept`: the source removes it at some time, or never if `earliestMs` is null. `lost`: it has removed it. `unknown`:
   * `notes` state what is not known.
   */
  readonly state: 'kept' | 'lost' | 'unknown'
  /**
   * The first moment at which the source may remove it. Null: unknown, or never by itself; with `bytes`, not as long as
   * the source writes nothing.
   */
  readonly earliestMs: number | null
  /** When the source will probably remove it, at the present growth. Null: unknown, or not as long as nothing grows. */
  readonly expectedMs: number | null
  /**
   * Whether time already runs out: false while the connector is where the source still writes and only a limit in time
   * counts, so that `earliestMs` moves with the present.
   */
  readonly isRunningOut: boolean
  /** How long the source keeps what is complete, in seconds. Null: no limit in time, or an unknown one. */
  readonly retentionSeconds: number | null
  /** Bytes that the source can still write before it removes it. Null: unknown, or without limit. */
  readonly bytes: number | null
  /** Files that the source can still begin before it removes it. Null: unknown, or without limit. */
  readonly files: number | null
  /** The oldest file that the connector needs. Null: unknown. */
  readonly neededFile: string | null
  /** Bytes that the connector has not read yet. Null: unknown. */
  readonly backlogBytes: number | null
  /** Files with such bytes. Null: unknown. */
  readonly backlogFiles: number | null
  /** Null until it was measured. */
  readonly growthBytesPerSecond: number | null
  /** The settings that decide, as in `binlog_expire_logs_seconds=2592000`. */
  readonly retention: readonly string[]
  /** What is uncertain or unknown, in sentences. */
  readonly notes: readonly string[]
  /** Why it is lost and what to do, in sentences; null otherwise. */
  readonly problem: string | null
}

/** Measures for one connector how long its source keeps what it needs. Remembers what it needs to measure growth. */
export interface LossProbe {
  /** Time between two measurements. 0: none are wanted. */
  readonly intervalMs: number
  /** The remaining times, in seconds, at which an operator wants a warning. */
  readonly warningSeconds: readonly number[]
  /**
   * Asks the source on a connection of its own, which it closes. Bounded in time. Called again only when the last call
   * has ended.
   *
   * @param storedOffset as that of `SourceTaskContext`, as of now
   * @throws when the source cannot be asked
   */
  measure(
    storedOffset: (partition: SourcePartition) => OffsetDocument | null,
    signal: AbortSignal,
  ): Promise<LossForecast>
}
