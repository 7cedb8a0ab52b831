/**
 * Room for the UTF-16 units of one text. Decoders write units into `unitsFor(count)` and then call `textOfUnits`. The
 * room is shared, since no decoder calls another one in between; a text therefore costs no allocation besides itself.
 */
let units: Uint16Array = new Uint16Array(4096)
let bytes = bytesOf(units)

/** Longer texts get room of their own, so that one large text does not occupy memory for ever. */
const KEPT_UNITS_MAX = 1024 * 1024

/** Returns room for `count` units. Its content is undefined, and valid until the next call. */
export function unitsFor(count: number): Uint16Array {
  if (count <= units.length) return units
  const room = new Uint16Array(Math.max(count, Math.min(units.length * 2, KEPT_UNITS_MAX)))
  if (room.length > KEPT_UNITS_MAX) return room
  units = room
  bytes = bytesOf(room)
  return room
}

/** The string of the first `count` units of the room. */
export function textOfUnits(room: Uint16Array, count: number): string {
  // The units are in the byte order of the machine, which is little-endian wherever Node runs on servers.
  return (room === units ? bytes : bytesOf(room)).toString('utf16le', 0, count * 2)
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** What the servers return for bytes that are no character: `?`. */
export const QUESTION_MARK = 0x3f
