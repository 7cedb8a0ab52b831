import type { MySqlConnection } from '@tributary/mysql'
import type { MissingPosition } from './flavor.ts'

/** Names of the binlog files that the server still has, oldest first. */
export async function binlogFiles(connection: MySqlConnection): Promise<readonly string[]> {
  const rows = await connection.query('SHOW BINARY LOGS', 'listing the binlog files')
  return rows.map(([name]) => name ?? '')
}

export async function findMissingFile(connection: MySqlConnection, file: string): Promise<MissingPosition | null> {
  const files = await binlogFiles(connection)
  if (files.includes(file)) return null
  const oldest = files[0]
  return {
    needed: `the binlog file ${file}`,
    available: oldest === undefined ? 'the server has no binlog file' : `the oldest file of the server is ${oldest}`,
  }
}
