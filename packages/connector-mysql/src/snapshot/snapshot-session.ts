import { MySqlConnection, type MySqlConnectionOptions, setUpStructureSession } from '@tributary/mysql'

/** Opens a connection whose session reads as a snapshot has to. */
export async function openSession(options: MySqlConnectionOptions, signal: AbortSignal): Promise<MySqlConnection> {
  const connection = await MySqlConnection.open(options, signal)
  try {
    await setUpSession(connection, signal)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

/**
 * Sets up the session that reads structure and rows: instants in UTC, text in the charset of its column as in the
 * binlog, and a server that waits while the snapshot waits for the brokers.
 */
async function setUpSession(connection: MySqlConnection, signal: AbortSignal): Promise<void> {
  await setUpStructureSession(connection, { signal })
  await connection.query(
    `SET SESSION net_write_timeout = ${NET_WRITE_TIMEOUT_S}, character_set_results = NULL`,
    'setting up the snapshot',
    { signal },
  )
}

/** One day: longer than any pause of a consumer; the server's default is 60 s. */
const NET_WRITE_TIMEOUT_S = 86_400

/**
 * From here on the connection sees the tables as they are now. `isReadOnly`: the server refuses statements that change
 * something, as functions that a user's statement calls may.
 */
export async function beginReading(
  connection: MySqlConnection,
  signal: AbortSignal,
  { isReadOnly }: { readonly isReadOnly: boolean },
): Promise<void> {
  const doing = 'beginning the snapshot'
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ', doing, { signal })
  const readOnly = isReadOnly ? ', READ ONLY' : ''
  await connection.query(`START TRANSACTION WITH CONSISTENT SNAPSHOT${readOnly}`, doing, { signal })
}
