import type { BinlogStreamOptions, DumpStart, MySqlConnection } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import type { Flavor } from '../flavor/flavor.ts'
import { readVariables } from '../flavor/server-variables.ts'

type IdentityFlavor = Pick<Flavor, 'identityOf' | 'identityVariables'>

/** `ServerInfo.identity` of the server that a connection has reached. */
export async function identityOf(
  connection: MySqlConnection,
  flavor: IdentityFlavor,
  signal: AbortSignal | undefined,
): Promise<string> {
  return flavor.identityOf(await readVariables(connection, flavor.identityVariables, signal))
}

/**
 * Behind a proxy or a name with several addresses each connection may reach another server. Its binlog has other places,
 * and does not describe the tables of the first one.
 *
 * @throws SNAPSHOT_OTHER_SERVER
 */
export async function requireServer(
  connection: MySqlConnection,
  { flavor, identity }: { readonly flavor: IdentityFlavor; readonly identity: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const other = await identityOf(connection, flavor, signal)
  if (other === identity) return
  throw connectorErrors.SNAPSHOT_OTHER_SERVER({ address: connection.address, identity, other })
}

/** Dumps of that server only. */
export function dumpsOf(
  server: { readonly flavor: IdentityFlavor; readonly identity: string },
  binlogFrom: (start: DumpStart) => BinlogStreamOptions,
): (start: DumpStart) => BinlogStreamOptions {
  return (start) => ({
    ...binlogFrom(start),
    inspect: (connection, signal) => requireServer(connection, server, signal),
  })
}
