import type { ConfigMap } from '@tributary/connect-api'
import { MySqlConnection } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import { parseConfig } from './config/connector-definition.ts'
import { connectionOptions } from './connection-options.ts'
import { mariadbKind, mysqlKind } from './connector-kind.ts'

/** Columns whose values the server computes, as it has them now: statements must not set them. */
export class GeneratedColumns {
  readonly #names: ReadonlySet<string>

  constructor(names: ReadonlySet<string>) {
    this.#names = names
  }

  has(database: string, table: string, column: string): boolean {
    return this.#names.has(nameOf(database, table, column))
  }
}

/** Reads those of all databases that the user of the configuration can see. */
export async function readGeneratedColumns(config: ConfigMap, signal: AbortSignal): Promise<GeneratedColumns> {
  const kind = config['connector.class'] === mariadbKind.className ? mariadbKind : mysqlKind
  const options = await connectionOptions(parseConfig(kind, config), silentLogger)
  await using connection = await MySqlConnection.open(options, signal)
  const rows = await connection.query(
    `SELECT table_schema, table_name, column_name FROM information_schema.columns WHERE generation_expression <> ''`,
    'reading which columns are generated',
    { signal },
  )
  return new GeneratedColumns(new Set(rows.map(([a, b, c]) => nameOf(a ?? '', b ?? '', c ?? ''))))
}

function nameOf(...parts: readonly string[]): string {
  return parts.map((part) => part.toLowerCase()).join('\0')
}
