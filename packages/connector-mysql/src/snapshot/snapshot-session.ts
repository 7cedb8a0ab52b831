import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { doneOr } from '@tributary/support'

/** Opens a connection whose session reads as a snapshot has to. */
export async function openSession(options: MySqlConnectionOptions, signal: AbortSignal): Promise<MySqlConnection> {
  const connection = await MySqlConnection.open(options, signal)
  try {
    // The statements themselves do not take the signal: they end with the connection.
    await doneOr(prepareSession(connection), signal)
    return connection
  } catch (error) {
    await connection.close()
    throw error
  }
}

/**
 * The session in which everything is read: instants in UTC; text in the charset of its column, as in the binlog; SHOW
 * CREATE TABLE in its plain form; and a server that waits when the brokers make us wait.
 */
async function prepareSession(connection: MySqlConnection): Promise<void> {
  const set = (text: string): Promise<unknown> => connection.query(`SET SESSION ${text}`, 'preparing the snapshot')
  await set("time_zone = '+00:00'")
  await set("sql_mode = ''")
  await set('sql_quote_show_create = 1')
  await set(`net_write_timeout = ${NET_WRITE_TIMEOUT_S}`)
  await set('character_set_results = NULL')
}

/** One day: longer than any pause of a consumer that is not given up; the server's default is 60 s. */
const NET_WRITE_TIMEOUT_S = 86_400

/** From here on the connection sees the tables as they are now. */
export async function beginReading(connection: MySqlConnection): Promise<void> {
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'beginning the snapshot')
  await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT', 'beginning the snapshot')
}
