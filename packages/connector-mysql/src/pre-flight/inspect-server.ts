import type { MySqlConnectionOptions } from '@tributary/mysql'
import type { Flavor, ServerInfo } from '../flavor/flavor.ts'
import { flavorOf } from '../flavor/flavor-of.ts'
import { checkServer } from './check-server.ts'
import { withConnection } from './with-connection.ts'

/** A server that can be read from, and how it is spoken to. */
export interface Server {
  readonly flavor: Flavor
  readonly info: ServerInfo
}

/** Looks at the server; throws when its settings do not allow to read changes from it. */
export function inspectServer(options: MySqlConnectionOptions, signal: AbortSignal): Promise<Server> {
  return withConnection(
    options,
    async (connection) => {
      const [row] = await connection.query('SELECT version()', 'asking for the version of the server')
      const flavor = flavorOf(row?.[0] ?? '')
      await checkServer(connection)
      return { flavor, info: await flavor.readServerInfo(connection) }
    },
    signal,
  )
}
