/** What the watchdog sees at a tick. */
export interface Observation {
  /** Counts up while the main thread responds. */
  readonly beat: number
  /** The longest that the requested stop may take; 0 when none was requested. */
  readonly stopLimitMs: number
  /** A debugger may have stopped the main thread. */
  readonly isDebugged: boolean
}

export type Decision =
  | { readonly tag: 'none' }
  | { readonly tag: 'report'; readonly text: string }
  | { readonly tag: 'end'; readonly text: string }

/** Between two ticks. */
export const TICK_MS = 1_000
/** No work of the main thread takes so long: a collection of its heap takes a tenth of a second. */
const REPORTED_AFTER_TICKS = 10
/**
 * Kubernetes ends a container 30 s after SIGTERM by default, Docker after 10 s, systemd after 90 s. The tasks write
 * nothing since the lease of the group has ended, and REST answers nothing.
 */
const ENDED_AFTER_TICKS = 30

/**
 * Decides when the process must be ended. It counts its own ticks instead of reading a clock: when the whole process or
 * the machine stands still (SIGSTOP, suspend), the watchdog stands still too, and nothing is overdue afterwards.
 */
export class WatchdogDecision {
  #beat = -1
  #ticksWithoutBeat = 0
  #ticksSinceStop = 0

  tick({ beat, stopLimitMs, isDebugged }: Observation): Decision {
    if (beat !== this.#beat || isDebugged) this.#ticksWithoutBeat = 0
    else this.#ticksWithoutBeat += 1
    this.#beat = beat
    if (stopLimitMs > 0 && !isDebugged) this.#ticksSinceStop += 1
    if (stopLimitMs > 0 && this.#ticksSinceStop * TICK_MS > stopLimitMs) {
      return {
        tag: 'end',
        text: `The worker did not stop within ${stopLimitMs / 1000} s after the request to stop. The process ends now; records after the stored offsets are sent again when it starts`,
      }
    }
    if (this.#ticksWithoutBeat === REPORTED_AFTER_TICKS) {
      const restS = ((ENDED_AFTER_TICKS - REPORTED_AFTER_TICKS) * TICK_MS) / 1000
      return {
        tag: 'report',
        text: `The main thread has not responded for ${(REPORTED_AFTER_TICKS * TICK_MS) / 1000} s: requests to stop have no effect, REST does not answer, and tasks stop writing. The process ends in ${restS} s unless it responds again`,
      }
    }
    if (this.#ticksWithoutBeat < ENDED_AFTER_TICKS) return { tag: 'none' }
    return {
      tag: 'end',
      text: `The main thread has not responded for ${(ENDED_AFTER_TICKS * TICK_MS) / 1000} s. The process ends now; records after the stored offsets are sent again when it starts`,
    }
  }
}
