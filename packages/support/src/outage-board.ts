import type { Clock } from './clock.ts'
import { problemOf, type Problem } from './errors.ts'

/** An activity that fails and is retried. */
export interface OngoingOutage extends Problem {
  /** What is retried, as in "writing to broker 2 (host:9092)". */
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
 * The activities that fail at the moment and are retried, for people who ask how a task is. It is part of a logger
 * (`Logger.outages`), since every component already has one to report to; `Outage` and loops with pauses of their own
 * write to it.
 */
export class OutageBoard {
  readonly #clock: Clock
  readonly #onChange: () => void
  readonly #ongoing = new Map<string, OngoingOutage>()

  constructor(clock: Clock, onChange: () => void = () => undefined) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** An attempt has failed; the next one is made after the pause (null: within seconds). */
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

  /** The activity has succeeded, or was given up. */
  ended(activity: string): void {
    if (this.#ongoing.delete(activity)) this.#onChange()
  }

  /** The oldest first. Without those that were neither repeated nor ended for long: their component no longer exists. */
  ongoing(): readonly OngoingOutage[] {
    const nowMs = this.#clock.now()
    for (const [activity, { lastMs, nextMs }] of this.#ongoing) {
      if (nowMs - (nextMs ?? lastMs) > FORGOTTEN_AFTER_MS) this.#ongoing.delete(activity)
    }
    return [...this.#ongoing.values()].toSorted((a, b) => a.sinceMs - b.sinceMs)
  }
}

/** The longest attempt, which is one with all its time limits, takes less. */
const FORGOTTEN_AFTER_MS = 180_000

/** Nobody reads more, and names of topics are part of activities. */
const ACTIVITIES_MAX = 50
