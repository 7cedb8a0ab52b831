import type { SourceOffset } from '@tributary/connect-api'
import type { HeartbeatRecords } from '../events/heartbeat-records.ts'
import type { ChangePosition, ChangeStage, Poll, ProgressChange } from './change.ts'

export interface HeartbeatStageOptions {
  readonly records: HeartbeatRecords
  /** `heartbeat.interval.ms` */
  readonly intervalMs: number
  /** Runs before each heartbeat: `heartbeat.action.query`. Null: nothing. */
  readonly action: ((signal: AbortSignal) => Promise<void>) | null
  /** The offset of a record at that position; default: the position. */
  readonly offsetOf?: (position: ChangePosition) => SourceOffset
}

/**
 * Writes a heartbeat when the interval has passed since the last one, and after a snapshot. It has the position up to
 * which the source has read, so that the stored offset also moves while no captured table changes.
 */
export class HeartbeatStage implements ChangeStage {
  readonly #options: HeartbeatStageOptions
  /** Null before the first poll. */
  #lastMicros: number | null = null

  constructor(options: HeartbeatStageOptions) {
    this.#options = options
  }

  progress(change: ProgressChange, poll: Poll): Promise<void> | null {
    const last = (this.#lastMicros ??= poll.nowMicros)
    const isDue = change.isMilestone || poll.nowMicros - last >= this.#options.intervalMs * 1000
    if (!isDue) return null
    this.#lastMicros = poll.nowMicros
    const { action } = this.#options
    if (action !== null) return this.#beatAfter(action, change, poll)
    this.#beat(change, poll)
    return null
  }

  async #beatAfter(action: (signal: AbortSignal) => Promise<void>, change: ProgressChange, poll: Poll): Promise<void> {
    await action(poll.signal)
    this.#beat(change, poll)
  }

  #beat({ position }: ProgressChange, poll: Poll): void {
    const { records, offsetOf } = this.#options
    poll.records.push(records.record(Math.floor(poll.nowMicros / 1000), offsetOf?.(position) ?? position))
  }
}
