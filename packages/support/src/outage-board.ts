import type { Clock } from './clock.ts'
import { problemOf, type Problem } from './errors.ts'

/** An activity that fails and is retried. */
export interface OngoingOutage extends Problem {
  /** The activity, as in "writing to broker 2 (host:9092)". */
  readonly activity: string
  /** Of the first failure in a row, and of the last one, in milliseconds since 1970. */
  readonly sinceMs: number
  readonly lastMs: number
  /** Failures in a row. */
  readonly attempts: number
  /** When the next attempt is due; null: within seconds. */
  readonly nextMs: number | null
}

/**
 * The activities that fail and are retried at the moment, for the health of a task. A logger has the board
 * (`Logger.outages`), since every component has a logger already. `Outage`, and loops with pauses of their own, write
 * to the board.
 */
export class OutageBoard {
  readonly #clock: Clock
  readonly #onChange: () => void
  readonly #ongoing = new Map<string, OngoingOutage>()

  constructor(clock: Clock, onChange: () => void = () => undefined) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** Called when an attempt has failed. The next one follows after the pause (null: within seconds). */
  failed(activity: string, error: unknown, pauseMs: number | null = null): void {
    const nowMs = this.#clock.now()
    const before = this.#ongoing.get(activity)
    if (before === undefined && this.#ongoing.size >= ACTIVITIES_MAX) return
    this.#ongoing.set(activity, {
      activity,
      ...problemOf(error),
      sinceMs: before?.sinceMs ?? nowMs,
      lastMs: nowMs,
      attempts: (before?.attempts ?? 0) + 1,
      nextMs: pauseMs === null ? null : nowMs + pauseMs,
    })
    this.#onChange()
  }

  /** Called when the activity has succeeded, or is not retried any more. */
  ended(activity: string): void {
    if (this.#ongoing.delete(activity)) this.#onChange()
  }

  /** The ongoing outages, oldest first. Drops entries without a report for long: their component no longer exists. */
  ongoing(): readonly OngoingOutage[] {
    const nowMs = this.#clock.now()
    for (const [activity, { lastMs, nextMs }] of this.#ongoing) {
      if (nowMs - (nextMs ?? lastMs) > FORGOTTEN_AFTER_MS) this.#ongoing.delete(activity)
    }
    return [...this.#ongoing.values()].toSorted((a, b) => a.sinceMs - b.sinceMs)
  }
}

/** Longer than the longest attempt, with all its time limits. */
const FORGOTTEN_AFTER_MS = 180_000

/** The limit of entries: names of topics are part of activities, and nobody reads more. */
const ACTIVITIES_MAX = 50
