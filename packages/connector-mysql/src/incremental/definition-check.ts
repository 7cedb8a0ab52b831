import type { TableId } from '@tributary/connector-kit'
import type { MySqlConnection, WaitOptions } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { completeDefinition } from '../tables/complete-definition.ts'
import { definitionDifference } from '../tables/definition-difference.ts'
import { quoted } from '../tables/quoted-name.ts'

/** @throws INCREMENTAL_OTHER_DEFINITION when there is no such table; errors of the server and the connection */
export async function createStatement(connection: MySqlConnection, id: TableId, wait: WaitOptions): Promise<string> {
  const name = `${quoted(id.database)}.${quoted(id.table)}`
  const [row] = await connection.query(`SHOW CREATE TABLE ${name}`, `reading the definition of ${id.toString()}`, wait)
  const createSql = row?.[1] ?? null
  if (createSql !== null) return createSql
  throw connectorErrors.INCREMENTAL_OTHER_DEFINITION({ table: id.toString(), what: 'it is not there' })
}

export interface DefinitionToCheck {
  readonly connection: MySqlConnection
  readonly interpreter: Pick<DdlInterpreter, 'derive'>
  /** The definition at the position of the stream. */
  readonly known: MySqlTable
  readonly createSql: string
}

/**
 * Statements that the stream has not reached are found when it does; this finds those that are not in the binlog, too.
 *
 * @throws INCREMENTAL_OTHER_DEFINITION
 */
export async function checkDefinition(
  { connection, interpreter, known, createSql }: DefinitionToCheck,
  wait: WaitOptions,
): Promise<void> {
  const { id } = known
  const current = interpreter.derive(id, await completeDefinition(connection, id, createSql, wait))
  const difference = current === null ? null : definitionDifference(known, current)
  if (difference !== null && difference.tag === 'same') return
  const what = difference !== null && 'what' in difference ? difference.what : 'its columns have other members'
  throw connectorErrors.INCREMENTAL_OTHER_DEFINITION({ table: id.toString(), what })
}
