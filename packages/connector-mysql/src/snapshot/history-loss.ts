import type { StreamPosition } from '../offset/stream-position.ts'
import type { ModelState } from '../schema/model-state.ts'

/** What is missing of a schema history. The table model has what is left of it. */
export interface HistoryLoss {
  /** The end of a sentence that begins with the topic. */
  readonly reason: string
  /** True: nothing is left. */
  readonly isComplete: boolean
  /** True: the task keeps no history, so that nothing was lost. Absent: no. */
  readonly isKeptNowhere?: boolean
  /** What the history led to at an earlier position; null: not known. */
  readonly checkpoint: EarlierModel | null
}

/** The table model as of a position that is not after the stored offset. */
export interface EarlierModel {
  readonly position: StreamPosition
  /** Records of the history from this offset on are not in it. */
  readonly end: bigint
  /** Unpacks it. */
  state(): ModelState
}
