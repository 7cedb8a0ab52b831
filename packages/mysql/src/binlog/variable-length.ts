/** A position in a message, which ends at `end`. */
export interface VariableCursor {
  readonly bytes: Buffer
  at: number
  readonly end: number
}

/**
 * An integer of mysql::serialization (mysql/components/libs/serialization/variable_length_integers.h, since 8.3). The
 * lowest bits of the first byte that are set, up to the first that is not, are as many as bytes follow. The value begins
 * after that bit, lowest byte first; with eight bytes the first one has no bits of it.
 *
 * @throws RangeError beyond the end, and for numbers beyond 2^53
 */
export function readVariableLength(cursor: VariableCursor): number {
  const { bytes, at, end } = cursor
  const first = at < end ? (bytes[at] as number) : 0
  const more = 31 - Math.clz32(~first & (first + 1))
  cursor.at = at + 1 + more
  if (at >= end || cursor.at > end) throw new RangeError('it ends within a number')
  let value = 0
  for (let i = at + more; i > at; i--) value = value * 256 + (bytes[i] as number)
  if (more < 8) value = value * 2 ** (7 - more) + (first >> (more + 1))
  if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('it has a number beyond 2^53')
  return value
}
