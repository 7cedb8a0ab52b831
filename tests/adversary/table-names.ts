/** The table whose rows say how far a task must read. */
export const MARKER_TABLE = 'marker'

/**
 * Tables are named after their history, their kind and a number: `h12a3`, some with a suffix that has to be quoted.
 *
 * ```
 *  a  plain          m  of an engine without transactions   k  without keys          c  with a key of two columns
 *  g  with generated columns   p  partitioned   v  WITH SYSTEM VERSIONING   f  child of a foreign key
 * ```
 */
export type TableKind = 'a' | 'm' | 'k' | 'c' | 'g' | 'p' | 'v' | 'f'

const NAME = /\b(h\d+)([a-z])\d+(?:é|\$x|-x)?/g

/** The tables that a statement names. */
export function tablesIn(sql: string): readonly string[] {
  return [...new Set(sql.match(NAME))]
}

/** The history that a table belongs to: `h12`. */
export function historyOf(table: string): string {
  return /^h\d+/.exec(table)?.[0] ?? ''
}

export function kindOf(table: string): TableKind {
  return (/^h\d+([a-z])/.exec(table)?.[1] ?? 'a') as TableKind
}

/** Changes of the others are in the binlog at once, and no rollback undoes them. */
export function isTransactional(table: string): boolean {
  return kindOf(table) !== 'm'
}

/** The binlog has former versions of its rows. */
export function isVersioned(table: string): boolean {
  return kindOf(table) === 'v'
}

/** A name in SQL. */
export function quoted(name: string): string {
  return /^(?:[a-f]|id|g[sv]|h\d+[a-z]\d+)$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``
}
