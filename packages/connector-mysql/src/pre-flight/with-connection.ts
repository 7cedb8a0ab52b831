import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { doneOr } from '@tributary/support'

/**
 * Does some work on a connection of its own. A statement cannot be called back: when the signal fires nobody waits for its answer
 * any more, and its connection is closed.
 */
export async function withConnection<T>(
  options: MySqlConnectionOptions,
  work: (connection: MySqlConnection) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  await using connection = await MySqlConnection.open(options, signal)
  return await doneOr(work(connection), signal)
}
