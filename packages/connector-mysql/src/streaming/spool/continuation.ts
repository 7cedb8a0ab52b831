import {
  createdSecondsOf,
  type EventFacts,
  FORMAT_DESCRIPTION,
  isInFile,
  isSamePlace,
  ROTATE,
  rotateTarget,
  type SpoolEnd,
} from '@tributary/mysql'

/** A dump does not continue where the spool ends. */
export class DiscontinuedError extends Error {
  override readonly name: string = 'DiscontinuedError'
}

/**
 * Decides where a dump that was requested from the end of a spool begins to continue it. Servers first send events that
 * are in no file, or that precede the place: those are left out. What the reader of the spool sees is one dump.
 *
 * @throws DiscontinuedError when the dump is of another file, or begins at another place
 */
export function continuesSpool(packet: Buffer, facts: EventFacts, end: SpoolEnd): boolean {
  const { place, createdSeconds } = end
  if (facts.type === FORMAT_DESCRIPTION && createdSeconds !== null && createdSecondsOf(packet) !== createdSeconds) {
    const now = createdSecondsOf(packet)
    throw new DiscontinuedError(
      `the file ${place.file} was created at ${now}, not at ${createdSeconds}, as the one before`,
    )
  }
  if (!isInFile(facts)) {
    if (facts.type === ROTATE && !isSamePlace(rotateTarget(packet), place)) {
      const { file, position } = rotateTarget(packet)
      throw new DiscontinuedError(
        `the server continues at ${file}:${position} instead of ${place.file}:${place.position}`,
      )
    }
    return false
  }
  const begin = (facts.endLow - facts.size) >>> 0
  if (begin === place.position % SPAN_32) return true
  if (facts.type === FORMAT_DESCRIPTION) return false
  throw new DiscontinuedError(`the first event begins at ${begin} instead of ${place.file}:${place.position}`)
}

const SPAN_32 = 2 ** 32
