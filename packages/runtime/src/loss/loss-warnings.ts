import type { LossForecast } from '@tributary/connect-api'

/** The remaining time, and what it is compared with. */
export interface Remaining {
  /** Null: unlimited, or unknown. */
  readonly seconds: number | null
  /** Whether the time runs out; if not, it is compared with nothing. */
  readonly isRunningOut: boolean
  /** Those at which a warning is due, in seconds. */
  readonly thresholds: readonly number[]
}

/**
 * The times at which warnings make sense for a server: those below its retention. A connector that keeps up always has
 * about that much, so a longer time would be a warning about nothing. Without any, half of the retention.
 */
export function effectiveThresholds(
  wanted: readonly number[],
  retentionSeconds: LossForecast['retentionSeconds'],
): readonly number[] {
  if (retentionSeconds === null || wanted.length === 0) return wanted
  const below = wanted.filter((seconds) => seconds < retentionSeconds)
  return below.length > 0 ? below : [Math.floor(retentionSeconds / 2)]
}

/** A threshold is passed again only after the time was longer than it by this factor: estimates vary. */
const REARM_FACTOR = 1.2

/**
 * Decides when a remaining time is worth a warning: when it falls to a threshold that it was above, once. A jump over
 * several of them is one warning.
 */
export class LossWarnings {
  /** The smallest threshold that has been passed; null: none. */
  #passed: number | null = null

  /** The threshold that has just been passed; null: none. */
  next({ seconds, isRunningOut, thresholds }: Remaining): number | null {
    if (seconds === null || !isRunningOut) {
      if (seconds !== null) this.#passed = null
      return null
    }
    const passed = this.#passed
    if (passed !== null) {
      const still = thresholds.filter((each) => each >= passed && seconds <= each * REARM_FACTOR)
      this.#passed = still.length === 0 ? null : Math.min(...still)
    }
    const reached = thresholds.filter((each) => seconds <= each)
    const smallest = reached.length === 0 ? null : Math.min(...reached)
    if (smallest === null || (this.#passed !== null && smallest >= this.#passed)) return null
    this.#passed = smallest
    return smallest
  }

  /** Whether a threshold is passed. */
  get isPassed(): boolean {
    return this.#passed !== null
  }
}
