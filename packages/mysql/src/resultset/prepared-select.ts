import { readServerError } from '../commands/server-error.ts'
import type { MySqlConnection } from '../connection/mysql-connection.ts'
import type { RawExchange } from '../connection/raw-exchange.ts'
import { readColumnDefinition, type ResultColumn } from './column-definition.ts'
import { ERR_PACKET, isEnd, packetOf } from './result-packets.ts'

/**
 * A statement that the server has parsed and not run: the columns of its result are known. `RowStream.execute` runs it.
 * The server takes a single statement only.
 */
export interface PreparedSelect {
  readonly statementId: number
  /** Empty when the statement returns no rows. */
  readonly columns: readonly ResultColumn[]
}

/**
 * Response to COM_STMT_PREPARE (protocol page): 0x00 · int<4> statement · int<2> columns · int<2> parameters · …, and
 * then the definitions of the parameters · EOF, and of the columns · EOF, each only if there are any.
 *
 * @param doing what the statement is for, as in “while preparing …”
 * @throws MYSQL_QUERY_FAILED for a statement that the server refuses, MYSQL_CONNECTION_LOST
 */
export async function prepareSelect(
  connection: MySqlConnection,
  sql: string,
  doing: string,
  signal?: AbortSignal,
): Promise<PreparedSelect> {
  const exchange = connection.exchange()
  let isRead = false
  try {
    exchange.command(COM_STMT_PREPARE, Buffer.from(sql))
    const { packets } = exchange
    await packetOf(packets, signal)
    if (packets.bytes[packets.start] === ERR_PACKET) {
      isRead = true
      throw readServerError(packets.bytes, packets.start, packets.end)
    }
    const head = packets.bytes.subarray(packets.start, packets.end)
    if (head.length < HEAD_BYTES) throw new RangeError('the answer to a prepared statement has no head')
    const [statementId, columnCount, parameterCount] = [
      head.readUInt32LE(1),
      head.readUInt16LE(5),
      head.readUInt16LE(7),
    ]
    await readDefinitions(exchange, parameterCount, signal)
    const columns = await readDefinitions(exchange, columnCount, signal)
    isRead = true
    return { statementId, columns }
  } catch (error) {
    throw connection.wrap(error, doing)
  } finally {
    if (isRead) exchange.release()
    else await connection.close()
  }
}

async function readDefinitions(
  { packets }: RawExchange,
  count: number,
  signal: AbortSignal | undefined,
): Promise<readonly ResultColumn[]> {
  const columns: ResultColumn[] = []
  for (let i = 0; i < count; i++) {
    await packetOf(packets, signal)
    columns.push(readColumnDefinition(packets.bytes, packets.start, packets.end))
  }
  if (count === 0) return columns
  await packetOf(packets, signal)
  if (!isEnd(packets)) throw new RangeError('the columns of a prepared statement do not end where they have to')
  return columns
}

/** Lets the server forget a statement. There is no answer. */
export function closePrepared(connection: MySqlConnection, { statementId }: PreparedSelect): void {
  const exchange = connection.exchange()
  const payload = Buffer.alloc(4)
  payload.writeUInt32LE(statementId, 0)
  exchange.command(COM_STMT_CLOSE, payload)
  exchange.release()
}

const COM_STMT_PREPARE = 0x16
const COM_STMT_CLOSE = 0x19
/** With the filler and the number of warnings. */
const HEAD_BYTES = 12
