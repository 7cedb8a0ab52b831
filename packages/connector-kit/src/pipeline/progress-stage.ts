import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import type { ChangePosition, ChangeStage, Poll, ProgressChange } from './change.ts'

/**
 * Reports the position when captured tables have been quiet for a while, so that the stored offset moves all the same
 * and the server may purge its log up to there. Between records it would report nothing that they do not. A milestone
 * is reported at once.
 */
export class ProgressStage implements ChangeStage {
  readonly #partition: SourcePartition
  readonly #offsetOf: (position: ChangePosition) => SourceOffset
  /** Of the last poll that yielded records or reported progress; null before the first poll. */
  #lastMicros: number | null = null
  #reported: ChangePosition | null = null

  /** @param offsetOf the offset of that position; default: the position */
  constructor(partition: SourcePartition, offsetOf: (position: ChangePosition) => SourceOffset = (same) => same) {
    this.#partition = partition
    this.#offsetOf = offsetOf
  }

  progress({ position, isMilestone }: ProgressChange, poll: Poll): null {
    const last = (this.#lastMicros ??= poll.nowMicros)
    if (isMilestone) {
      this.#report(position, poll, true)
    } else if (poll.records.length > 0) {
      this.#lastMicros = poll.nowMicros
    } else if (poll.nowMicros - last >= QUIET_MICROS) {
      this.#lastMicros = poll.nowMicros
      if (this.#reported === null || !this.#reported.isSamePlace(position)) this.#report(position, poll, false)
    }
    return null
  }

  #report(position: ChangePosition, poll: Poll, isMilestone: boolean): void {
    this.#lastMicros = poll.nowMicros
    this.#reported = position
    poll.report({
      partition: this.#partition,
      offset: this.#offsetOf(position),
      ...(isMilestone ? { isMilestone } : {}),
    })
  }
}

/** Five seconds: an offset record per quiet connector in that time costs a broker nothing. */
const QUIET_MICROS = 5_000_000
