import type { MySqlConnection } from '@tributary/mysql'

/** Global variables by name, lower case; those that the server does not have are missing. */
export async function readVariables(
  connection: MySqlConnection,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const list = names.map((name) => `'${name}'`).join(', ')
  const rows = await connection.query(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${list})`,
    'reading the server variables',
    { signal },
  )
  return new Map(rows.map(([name, value]) => [(name ?? '').toLowerCase(), value ?? '']))
}

/** `10.11.19-MariaDB…` → 101119. */
export function versionNumber(version: string): number {
  const [, major = '0', minor = '0', patch = '0'] = /(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return Number(major) * 10_000 + Number(minor) * 100 + Number(patch)
}
