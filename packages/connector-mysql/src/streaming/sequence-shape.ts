import type { TableMap } from '@tributary/mysql'

/**
 * MariaDB keeps a sequence as a table of one row and writes its changes into the binlog like those of tables: next
 * value, minimum, maximum, start, increment, cache size (six BIGINT), cycle option (TINYINT), cycle count (BIGINT).
 */
const LONGLONG = 8
const TINY = 1
const SEQUENCE_TYPES: readonly number[] = [LONGLONG, LONGLONG, LONGLONG, LONGLONG, LONGLONG, LONGLONG, TINY, LONGLONG]

/** False when the map cannot be of a sequence; true when it may be. */
export function hasSequenceShape({ columns }: TableMap): boolean {
  return columns.length === SEQUENCE_TYPES.length && columns.every(({ type }, i) => type === SEQUENCE_TYPES[i])
}
