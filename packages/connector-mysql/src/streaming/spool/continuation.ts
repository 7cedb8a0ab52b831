import {
  createdSecondsOf,
  type EventFacts,
  FORMAT_DESCRIPTION,
  isInFile,
  isSamePlace,
  ROTATE,
  rotateTarget,
  type SpoolEnd,
  type SpoolPlace,
} from '@tributary/mysql'
import { fileAfter } from '../log-place.ts'

/** The dump does not begin where the spool ends, so its events cannot be added. */
export class DiscontinuedError extends Error {
  override readonly name: string = 'DiscontinuedError'
}

/**
 * Finds, in a dump that was requested from the end of a spool, the first event to add. Servers first send artificial
 * events, which are in no file, and events before that place: both are dropped, so that the spool reads as one dump.
 *
 * A server that crashed has not ended its file. The dump then leads from the end of that file to the next one with an
 * artificial rotate event, which the spool needs.
 *
 * @throws DiscontinuedError when the dump is of another file, or begins at another place
 */
export function continuesSpool(packet: Buffer, facts: EventFacts, end: SpoolEnd): boolean {
  const { place, createdSeconds } = end
  if (createdSeconds === null)
    throw new DiscontinuedError(`the server had not described the file ${place.file} yet, so it may be another one now`)
  if (facts.type === FORMAT_DESCRIPTION && createdSecondsOf(packet) !== createdSeconds) {
    const now = createdSecondsOf(packet)
    throw new DiscontinuedError(
      `the server created its file ${place.file} at ${now}, not at ${createdSeconds}, as the one before`,
    )
  }
  if (!isInFile(facts)) return facts.type === ROTATE && isNext(rotateTarget(packet), place)
  const begin = (facts.endLow - facts.size) >>> 0
  if (begin === place.position % SPAN_32) return true
  if (facts.type === FORMAT_DESCRIPTION) return false
  throw new DiscontinuedError(`the first event begins at ${begin} instead of ${place.file}:${place.position}`)
}

/** Whether a rotate event that is in no file leads to the file after that of the place. */
function isNext(target: SpoolPlace, place: SpoolPlace): boolean {
  if (isSamePlace(target, place)) return false
  if (target.position === 4 && target.file === fileAfter(place.file)) return true
  throw new DiscontinuedError(
    `the server continues at ${target.file}:${target.position} instead of ${place.file}:${place.position}`,
  )
}

const SPAN_32 = 2 ** 32
