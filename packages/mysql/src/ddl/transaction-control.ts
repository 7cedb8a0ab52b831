import type { DdlOptions } from './options.ts'
import type { TransactionControl } from './statement.ts'
import { TokenReader } from './token-reader.ts'

/**
 * Recognises transaction control. Returns null for every other statement.
 *
 *     BEGIN [WORK] | START TRANSACTION … | XA {START|BEGIN} xid …      begin
 *     COMMIT … | ROLLBACK [WORK] | XA {PREPARE|COMMIT|ROLLBACK} xid    end
 *     SAVEPOINT s | RELEASE SAVEPOINT s | ROLLBACK [WORK] TO … | XA END xid    inside
 *
 * For the binlog an XA transaction ends with XA PREPARE; XA COMMIT and XA ROLLBACK are transactions of their own.
 * MariaDB's BEGIN NOT ATOMIC opens a compound statement, not a transaction. XA RECOVER only reads.
 *
 * It runs once per query event. Servers write `BEGIN` and `COMMIT` in exactly this spelling, so it rarely needs tokens.
 */
export function transactionControl(sql: string): TransactionControl | null {
  if (sql === 'BEGIN') return BEGIN
  if (sql === 'COMMIT') return COMMIT
  return MAY_BE_CONTROL.test(sql) ? readTransactionControl(new TokenReader(sql, ANY_SERVER)) : null
}

/** Parses transaction control at the start of a statement. Takes no token when it is another statement. */
export function readTransactionControl(reader: TokenReader): TransactionControl | null {
  if (reader.is('BEGIN', 'NOT')) return null
  if (reader.accept('BEGIN') || reader.accept('START', 'TRANSACTION')) return BEGIN
  if (reader.accept('COMMIT')) return COMMIT
  if (reader.accept('SAVEPOINT')) return SAVEPOINT
  if (reader.accept('RELEASE', 'SAVEPOINT')) return RELEASE
  if (reader.accept('ROLLBACK')) {
    reader.accept('WORK')
    return reader.is('TO') ? ROLLBACK_TO : ROLLBACK
  }
  const act = reader.is('XA') ? XA_ACTS.get(reader.peek(1).keyword) : undefined
  if (act === undefined) return null
  reader.accept('XA')
  reader.skip()
  return act
}

const BEGIN: TransactionControl = { tag: 'begin', isXa: false }
const COMMIT: TransactionControl = { tag: 'end', by: 'COMMIT' }
const ROLLBACK: TransactionControl = { tag: 'end', by: 'ROLLBACK' }
const SAVEPOINT: TransactionControl = { tag: 'inside', act: 'SAVEPOINT' }
const RELEASE: TransactionControl = { tag: 'inside', act: 'RELEASE SAVEPOINT' }
const ROLLBACK_TO: TransactionControl = { tag: 'inside', act: 'ROLLBACK TO SAVEPOINT' }
const XA_BEGIN: TransactionControl = { tag: 'begin', isXa: true }
const XA_ACTS: ReadonlyMap<string, TransactionControl> = new Map<string, TransactionControl>([
  ['START', XA_BEGIN],
  ['BEGIN', XA_BEGIN],
  ['END', { tag: 'inside', act: 'XA END' }],
  ['PREPARE', { tag: 'end', by: 'XA PREPARE' }],
  ['COMMIT', { tag: 'end', by: 'XA COMMIT' }],
  ['ROLLBACK', { tag: 'end', by: 'XA ROLLBACK' }],
])

/** A cheap filter: white space or a comment may precede the first word. */
const MAY_BE_CONTROL = /^\s*(?:begin|start|commit|rollback|savepoint|release|xa|\/\*|--|#)/i

/** Transaction control has no quoted text before its keywords, so flavor and SQL mode do not matter. */
const ANY_SERVER: DdlOptions = { flavor: 'mysql', serverVersion: 0, ansiQuotes: false }
