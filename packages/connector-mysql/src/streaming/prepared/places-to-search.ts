import { comparePlaces, fileAfter, type LogPlace } from '../log-place.ts'

/**
 * Where the events of each file begin that precede a place, in their order: those that the server has, and before them
 * those that only the spool has.
 *
 * @param onServer names of files, in their order
 * @param spooled where the spool begins, which may be in the middle of a file; null: there is none
 */
export function placesToSearch(
  onServer: readonly string[],
  spooled: LogPlace | null,
  before: LogPlace,
): readonly LogPlace[] {
  const places: LogPlace[] = []
  let place = spooled
  while (place !== null && !onServer.includes(place.file) && comparePlaces(place, before) < 0) {
    places.push(place)
    place = startOf(fileAfter(place.file))
  }
  for (const file of onServer) if (comparePlaces(startOf(file), before) < 0) places.push(startOf(file))
  return places
}

/** After the four bytes with which each file begins. */
function startOf(file: string): LogPlace {
  return { file, position: 4 }
}
