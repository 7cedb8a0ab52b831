import type { MySqlTable } from '../schema/mysql-table.ts'

/** A part of a table: rows whose key is in [from, to). */
export interface KeyRange {
  /** Null: no lower limit. */
  readonly from: bigint | null
  /** Null: no upper limit. */
  readonly to: bigint | null
}

/** The whole table. */
export const WHOLE_TABLE: KeyRange = { from: null, to: null }

/** Returns the column by which a table can be read in ranges: a primary key of one integer column. Null without one. */
export function rangeColumn({ keys, columns }: MySqlTable): string | null {
  const primary = keys?.find(({ kind }) => kind === 'primary')
  const name = primary?.columns[0] ?? null
  if (primary === undefined || primary.columns.length !== 1 || name === null) return null
  const column = columns.find((each) => each.name === name)
  return column !== undefined && /^(TINY|SMALL|MEDIUM|BIG)?INT(EGER)?\b/.test(column.typeName) ? name : null
}

/**
 * Splits the values from the lowest to the highest key into parts of equal width. The first and the last part are open,
 * so the parts cover every row; clusters of keys only make parts of unequal size.
 */
export function splitRange(lowest: bigint, highest: bigint, connections: number): readonly KeyRange[] {
  const width = highest - lowest + 1n
  const parts = Number(min(width / PART_KEYS_MIN, BigInt(connections * PARTS_PER_CONNECTION)))
  if (parts < 2) return [WHOLE_TABLE]
  const bounds = Array.from({ length: parts - 1 }, (_, i) => lowest + (width * BigInt(i + 1)) / BigInt(parts))
  return Array.from({ length: parts }, (_, i) => ({ from: bounds[i - 1] ?? null, to: bounds[i] ?? null }))
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** A third of a second of work at most: fewer rows are not worth a statement of their own. */
const PART_KEYS_MIN = 50_000n
/** More parts than connections: connections that finish early take over from those that read crowded parts. */
const PARTS_PER_CONNECTION = 8
