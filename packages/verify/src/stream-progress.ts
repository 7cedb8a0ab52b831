import type { Clock } from '@tributary/support'
import { verifyErrors } from './errors.ts'
import { type BinlogPlace, comparePlaces, placeText } from './server/binlog-place.ts'

/** How far the records of a connector are in its topics. */
export interface StreamProgress {
  /** The stored offset, right after a commit; null without one. */
  readonly offset: Readonly<Record<string, unknown>> | null
  /** The state of its task: RUNNING, PAUSED, FAILED, … */
  readonly state: string
}

export interface ProgressOptions {
  readonly connector: string
  readonly read: (signal: AbortSignal) => Promise<StreamProgress>
  readonly clock: Clock
}

/** Waits until the topics have all changes before a place: the stored offset is acknowledged, and so is what precedes it. */
export async function waitForStream(
  place: BinlogPlace,
  { connector, read, clock }: ProgressOptions,
  signal: AbortSignal,
): Promise<void> {
  let last = ''
  let movedMs = clock.monotonicMs()
  for (;;) {
    const { offset, state } = await read(signal)
    const reached = offset === null ? null : reachedPlace(offset)
    if (reached !== null && comparePlaces(reached, place) >= 0) return
    if (state !== 'RUNNING') {
      throw verifyErrors.VERIFY_STREAM_STOPPED({ connector, state, position: placeText(place) })
    }
    const text = JSON.stringify(offset)
    if (text !== last) {
      last = text
      movedMs = clock.monotonicMs()
    } else if (clock.monotonicMs() - movedMs > STILL_MS_MAX) {
      const seconds = STILL_MS_MAX / 1000
      throw verifyErrors.VERIFY_STREAM_LATE({ connector, position: placeText(place), seconds, offset: text })
    }
    await clock.sleep(PAUSE_MS, signal)
  }
}

/** Null while the first snapshot runs. */
function reachedPlace({ file, pos, snapshot }: Readonly<Record<string, unknown>>): BinlogPlace | null {
  if (typeof file !== 'string' || typeof pos !== 'number') return null
  return snapshot === undefined || snapshot === null || snapshot === false ? { file, position: pos } : null
}

/** A stream that is quiet reports its position every five seconds. */
const STILL_MS_MAX = 120_000
const PAUSE_MS = 100
