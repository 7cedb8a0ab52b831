import { comparePlaces, fileAfter, type LogPlace } from '../log-place.ts'

/**
 * The start of each binlog file before a place, oldest first: the files that only the spool has, followed by those that
 * the server has.
 *
 * @param onServer names of files, oldest first
 * @param spooled where the spool begins, which may be in the middle of a file; null: without a spool
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

/** The first event follows the four magic bytes of the file. */
function startOf(file: string): LogPlace {
  return { file, position: 4 }
}
