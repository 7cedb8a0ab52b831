export type StatementRole = 'begin' | 'end' | 'inside' | 'statement'

/** The role of a statement in its transaction. In the binlog, an XA transaction ends with XA PREPARE. */
export function roleOf(sql: string): StatementRole {
  if (sql === 'BEGIN') return 'begin'
  const match =
    /^\s*(begin|start\s+transaction|commit|rollback(?!\s+to)|xa\s+(?:start|begin|commit|rollback)|savepoint|release\s+savepoint|rollback\s+to|xa\s+end)\b/i.exec(
      sql,
    )
  if (match === null) return 'statement'
  const word = (match[1] ?? '').toLowerCase().replaceAll(/\s+/g, ' ')
  if (word === 'begin' || word === 'start transaction' || word === 'xa start' || word === 'xa begin') return 'begin'
  return word === 'commit' || word === 'rollback' || word === 'xa commit' || word === 'xa rollback' ? 'end' : 'inside'
}
