import type { MySqlConnection } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { MissingPosition } from './flavor.ts'

/** Names of the binlog files that the server still has, oldest first. */
export async function binlogFiles(connection: MySqlConnection, signal?: AbortSignal): Promise<readonly string[]> {
  const rows = await connection.query('SHOW BINARY LOGS', 'listing the binlog files', { signal })
  return rows.map(([name]) => name ?? '')
}

/** The oldest of them. */
export async function firstBinlogFile(connection: MySqlConnection, signal?: AbortSignal): Promise<string> {
  const [first] = await binlogFiles(connection, signal)
  if (first !== undefined) return first
  throw connectorErrors.BINLOG_POSITION_UNKNOWN({ address: connection.address, statement: 'SHOW BINARY LOGS' })
}

/** Of the first event of a file: four bytes identify it as a binlog. */
export const FIRST_POSITION = 4

/** Checks that the file of a position exists and reaches it: in a crash, a server may lose the end of a file. */
export async function findMissingFile(
  connection: MySqlConnection,
  { file, position }: Pick<StreamPosition, 'file' | 'position'>,
  signal?: AbortSignal,
): Promise<MissingPosition | null> {
  const rows = await connection.query('SHOW BINARY LOGS', 'listing the binlog files', { signal })
  const found = rows.find(([name]) => name === file)
  if (found === undefined) {
    const oldest = rows[0]?.[0] ?? null
    return {
      needed: `the binlog file ${file}`,
      available: oldest === null ? 'the server has no binlog file' : `the oldest file of the server is ${oldest}`,
      lacking: null,
    }
  }
  const size = Number(found[1])
  if (position <= size) return null
  return { needed: `${file} up to position ${position}`, available: `that file ends at ${size}`, lacking: null }
}
