import type { MySqlConnection } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import { readVariables } from '../flavor/server-variables.ts'

/** Checks that the server writes what a connector needs to read. Throws the first thing that is wrong, with what to run. */
export async function checkServer(connection: MySqlConnection): Promise<void> {
  const variables = await readVariables(connection, ['log_bin', 'binlog_format', 'binlog_row_image'])
  if (variables.get('log_bin') === 'OFF') {
    throw connectorErrors.BINLOG_OFF({ address: connection.address, statement: "SHOW GLOBAL VARIABLES LIKE 'log_bin'" })
  }
  // MySQL 9 has no other format left and may have no such variable.
  const format = variables.get('binlog_format') ?? 'ROW'
  if (format.toUpperCase() !== 'ROW') throw connectorErrors.BINLOG_FORMAT({ value: format })
  const image = variables.get('binlog_row_image') ?? 'FULL'
  // FULL_NODUP (MariaDB 11.4) leaves columns of an update out of its image after; they are filled in from the one before.
  if (!/^FULL(_NODUP)?$/i.test(image)) throw connectorErrors.BINLOG_ROW_IMAGE({ value: image })
}
