/**
 * Checks the bytes of a spatial value or a vector before they are used: its target may be called later, where the place
 * of the value is not known any more.
 *
 * Throws RangeError for bytes that no server writes.
 */
export function checkValue(kind: 'geometry' | 'vector', bytes: Buffer, start: number, end: number): void {
  const length = end - start
  if (kind === 'vector') {
    if (length % 4 !== 0) throw new RangeError(`a vector of ${length} bytes has no whole number of dimensions`)
    return
  }
  // Where ALTER TABLE added a column that is NOT NULL, the servers store and send an empty value.
  if (length === 0) return
  if (length < GEOMETRY_BYTES_MIN) throw new RangeError(`a spatial value has ${length} bytes`)
  const order = bytes[start + SRID_BYTES] as number
  if (order > 1) throw new RangeError(`${order} is not a byte order of a spatial value`)
  const at = start + SRID_BYTES + 1
  const type = order === 1 ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)
  if (type === POINT && length !== POINT_BYTES) throw new RangeError(`a point has ${length} bytes`)
}

const SRID_BYTES = 4
/** Byte order and type follow the SRID, and the number of parts except for points. */
const GEOMETRY_BYTES_MIN = SRID_BYTES + 1 + 4 + 4
const POINT = 1
const POINT_BYTES = SRID_BYTES + 1 + 4 + 16
