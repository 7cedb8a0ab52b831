import type { Flavor } from '../flavor/flavor.ts'
import { isFilePositionAtOrBefore } from '../flavor/position-order.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import type { Chunk } from './chunk-reader.ts'

/** The chunk was read on another server than the stream. */
export function isOtherServer({ serverIdentity }: Chunk, position: StreamPosition): boolean {
  return position.serverIdentity !== null && position.serverIdentity !== serverIdentity
}

/**
 * Whether the stream has reached the place of a chunk. By GTIDs where there are some: after a failover, file and position
 * may still be those of the former server. On one server they suffice: the set of the stream may lack transactions for
 * ever, such as those of sources that it excludes.
 */
export function isReached(
  { place, serverIdentity }: Chunk,
  position: StreamPosition,
  flavor: Pick<Flavor, 'isGtidSubset'>,
): boolean {
  if (position.isInTransaction) return false
  if (place.gtids !== null && position.gtids !== null) {
    if (flavor.isGtidSubset(place.gtids, position.gtids)) return true
    if (position.serverIdentity !== serverIdentity) return false
  }
  const { file: name, position: offset } = place
  const at = StreamPosition.at({ file: { name, createdSeconds: null }, position: offset, gtids: null }, NO_ORIGIN)
  return isFilePositionAtOrBefore(at, position)
}

const NO_ORIGIN = {
  timestampSeconds: 0,
  serverId: 0,
  isSnapshotUnfinished: false,
  recordFormat: 'v1',
  serverIdentity: null,
} as const
