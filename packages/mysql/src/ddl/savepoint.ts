/** A statement about a savepoint. */
export interface SavepointStatement {
  readonly act: 'SAVEPOINT' | 'RELEASE SAVEPOINT' | 'ROLLBACK TO SAVEPOINT'
  /** In lower case: the servers compare names without regard to case. */
  readonly name: string
}

/**
 * Reads a statement about a savepoint as the servers write it to the binlog, where the name is quoted; null for any
 * other statement.
 */
export function savepointOf(sql: string): SavepointStatement | null {
  const match = SAVEPOINT.exec(sql)
  if (match === null) return null
  const [, set, release, quoted, plain] = match
  const name = (quoted === undefined ? (plain ?? '') : quoted.replaceAll('``', '`')).toLowerCase()
  if (set !== undefined) return { act: 'SAVEPOINT', name }
  return { act: release === undefined ? 'ROLLBACK TO SAVEPOINT' : 'RELEASE SAVEPOINT', name }
}

const SAVEPOINT =
  /^\s*(?:(savepoint)|(release\s+savepoint)|rollback(?:\s+work)?\s+to(?:\s+savepoint)?)\s+(?:`((?:[^`]|``)*)`|([^\s;`]+))\s*;?\s*$/i
