import type { Database, DatabaseConnection } from '@tributary/testkit'
import type { StatementChanges } from './row-image.ts'

export const SESSIONS = 3

/** A session of the server and its open transaction. */
export interface Session {
  connection: DatabaseConnection
  /** Changes of the open transaction; null: there is none. */
  pending: StatementChanges[] | null
  /** Number of the pending statements before the last savepoint. */
  savepoint: number
  /** Tables that the transaction has used, which no other session can alter until its end. */
  readonly used: Set<string>
  /** The open transaction is an XA transaction of that name. */
  xid: string | null
}

/** Every second session of MySQL writes compressed transactions; MariaDB has no such setting of a session. */
export async function openSession(database: Database, schema: string, number: number): Promise<Session> {
  const connection = await openConnection(database, schema)
  if (database.flavor === 'mysql' && number % 2 === 1)
    await connection.query('SET SESSION binlog_transaction_compression = ON')
  return { connection, pending: null, savepoint: 0, used: new Set(), xid: null }
}

export async function openConnection(database: Database, schema: string): Promise<DatabaseConnection> {
  const connection = await database.connect()
  // A server that is killed ends it with an event.
  connection.on('error', () => undefined)
  await connection.query(`USE ${schema}`)
  await connection.query('SET SESSION lock_wait_timeout = 1, innodb_lock_wait_timeout = 1')
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  if (database.flavor === 'mariadb') await connection.query('SET SESSION system_versioning_alter_history = KEEP')
  return connection
}

/** An error that the server answered with, which left the session usable. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'sqlState' in error && !('fatal' in error && error.fatal === true)
}
