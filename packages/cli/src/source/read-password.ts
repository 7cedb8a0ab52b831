import { readFileSync } from 'node:fs'
import { describeError } from '@tributary/support'
import { cliErrors } from '../errors.ts'
import { askPassword } from './ask-terminal.ts'
import type { DatabaseAddress } from './database-url.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The password of a database: that of the URL, else of the file, else of MYSQL_PWD, as for the clients of MySQL; else it
 * is asked for on a terminal. Without one it is empty.
 *
 * @param file its first line is the password
 * @throws DATABASE_URL, PASSWORD_FILE, or StoppedError on Ctrl-C
 */
export async function readPassword(
  { password, user, host }: DatabaseAddress,
  file: string | undefined,
  environment: Environment,
): Promise<string> {
  if (user === null) throw cliErrors.DATABASE_URL({ url: host, reason: 'it names no user' })
  if (password !== null) return password
  if (file !== undefined) return firstLineOf(file)
  return environment['MYSQL_PWD'] ?? (await askPassword(`Password of ${user}@${host}: `)) ?? ''
}

function firstLineOf(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw cliErrors.PASSWORD_FILE({ path, reason: describeError(error) }, error)
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}

/** Hides passwords, which texts of a driver or a server may repeat. A short one is in many words by chance. */
export function hidePasswords(passwords: readonly string[]): (text: string) => string {
  const hidden = passwords.filter(({ length }) => length >= HIDDEN_MIN)
  return (text) => hidden.reduce((shown, password) => shown.replaceAll(password, '***'), text)
}

const HIDDEN_MIN = 4
