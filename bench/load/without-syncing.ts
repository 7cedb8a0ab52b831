import type { Database } from '@tributary/testkit'

/**
 * Runs `work` while the server commits without waiting for the disk, because test data need not survive a power
 * failure.
 */
export async function withoutSyncing(server: Database, work: () => Promise<void>): Promise<void> {
  await server.query('SET GLOBAL sync_binlog = 0, GLOBAL innodb_flush_log_at_trx_commit = 2')
  try {
    await work()
  } finally {
    await server.query('SET GLOBAL sync_binlog = DEFAULT, GLOBAL innodb_flush_log_at_trx_commit = DEFAULT')
  }
}
