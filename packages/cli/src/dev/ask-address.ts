import { cliErrors } from '../errors.ts'
import { askLine, canAsk } from '../source/ask-terminal.ts'
import { type DatabaseAddress, parseDatabaseUrl } from '../source/database-url.ts'

/**
 * Asks on the terminal which database to read. The password is asked for afterwards, as for every database.
 *
 * @throws DEV_NO_URL without a terminal, DATABASE_URL, StoppedError on Ctrl-C
 */
export async function askAddress(): Promise<DatabaseAddress> {
  if (!canAsk()) throw cliErrors.DEV_NO_URL({})
  const host = (await askLine('Host of MySQL or MariaDB [127.0.0.1:3306]: ')).trim()
  const user = (await askLine('User [root]: ')).trim()
  const database = (await askLine('Database, or database.table [all]: ')).trim()
  const login = encodeURIComponent(user === '' ? 'root' : user)
  return parseDatabaseUrl(`mysql://${login}@${host === '' ? '127.0.0.1' : host}/${database}`)
}
