import type { ConfigMap } from '@tributary/connect-api'
import { MySqlConnection } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import { parseConfig } from './config/connector-definition.ts'
import { connectionOptions } from './connection-options.ts'
import { mariadbKind, mysqlKind } from './connector-kind.ts'

/** Columns whose values the server computes, as it has them now: statements must not set them. */
export class GeneratedColumns {
  readonly #names: ReadonlySet<string>
  readonly #distinguishesCase: boolean

  /** @param distinguishesCase databases and tables whose names differ in case only are different ones */
  constructor(
    columns: readonly (readonly [database: string, table: string, column: string])[],
    distinguishesCase: boolean,
  ) {
    this.#distinguishesCase = distinguishesCase
    this.#names = new Set(columns.map((names) => this.#nameOf(...names)))
  }

  has(database: string, table: string, column: string): boolean {
    return this.#names.has(this.#nameOf(database, table, column))
  }

  /** The names of columns never differ in case only. */
  #nameOf(database: string, table: string, column: string): string {
    const names = [database, table].map((name) => (this.#distinguishesCase ? name : name.toLowerCase()))
    return [...names, column.toLowerCase()].join('\0')
  }
}

/** Reads those of all databases that the user of the configuration can see. */
export async function readGeneratedColumns(config: ConfigMap, signal: AbortSignal): Promise<GeneratedColumns> {
  const kind = config['connector.class'] === mariadbKind.className ? mariadbKind : mysqlKind
  const options = await connectionOptions(parseConfig(kind, config), silentLogger)
  await using connection = await MySqlConnection.open(options, signal)
  const rows = await connection.query(
    `SELECT table_schema, table_name, column_name, @@lower_case_table_names FROM information_schema.columns WHERE generation_expression <> ''`,
    'reading which columns are generated',
    { signal },
  )
  const columns = rows.map(([database, table, column]) => [database ?? '', table ?? '', column ?? ''] as const)
  return new GeneratedColumns(columns, rows[0]?.[3] === '0')
}
