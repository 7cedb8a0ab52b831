import type { MySqlConnection } from '@tributary/mysql'

/** Reads global variables by name, in lower case. Variables that the server does not have are missing. */
export async function readVariables(
  connection: MySqlConnection,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> {
  const list = names.map((name) => `'${name}'`).join(', ')
  const rows = await connection.query(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${list})`,
    'reading the server variables',
    { signal },
  )
  return new Map(rows.map(([name, value]) => [(name ?? '').toLowerCase(), value ?? '']))
}

/** The value of lower_case_table_names; 0 when it is unknown. */
export function lowerCaseTableNames(variables: ReadonlyMap<string, string>): 0 | 1 | 2 {
  const value = variables.get('lower_case_table_names')
  return value === '1' ? 1 : value === '2' ? 2 : 0
}

/** `10.11.19-MariaDB…` → 101119. */
export function versionNumber(version: string): number {
  const [, major = '0', minor = '0', patch = '0'] = /(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return Number(major) * 10_000 + Number(minor) * 100 + Number(patch)
}
