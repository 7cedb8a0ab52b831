import { readFileSync, statSync } from 'node:fs'
import { toError } from '@tributary/support'
import { invalidSetting } from '../../config/invalid-setting.ts'
import { readProperties, type Property } from '../../config/properties-file.ts'
import type { RestSettings } from '../../config/rest-settings.ts'
import { Logins } from './logins.ts'

const BASIC = 'rest.auth.basic.file'
const BEARER = 'rest.auth.bearer.file'
const READ_ONLY = 'rest.auth.read.only.users'

/** Larger than a file of ten thousand users. */
const FILE_BYTES_MAX = 1_048_576

const TOKEN_LENGTH_MIN = 16

/**
 * Reads the files of users. Null when the settings name none: the REST interface then needs no login, as in Kafka
 * Connect. Unlike there, a file that is missing or has no user is an error: it would let everybody in.
 *
 * @throws WORKER_SETTING_INVALID, without passwords and tokens
 */
export function readLogins({
  basicFile,
  bearerFile,
  readOnlyUsers,
}: Pick<RestSettings, 'basicFile' | 'bearerFile' | 'readOnlyUsers'>): Logins | null {
  if (basicFile === null && bearerFile === null) {
    if (readOnlyUsers.length === 0) return null
    throw invalidSetting(READ_ONLY, `${READ_ONLY} names users, and neither ${BASIC} nor ${BEARER} is set`)
  }
  const users = basicFile === null ? [] : readFile(BASIC, basicFile)
  const robots = bearerFile === null ? [] : readFile(BEARER, bearerFile)
  for (const user of users) checkUser(user)
  checkTokens(robots)
  const [passwords, tokens] = [secretsByName(users), secretsByName(robots)]
  for (const name of readOnlyUsers) {
    if (passwords.has(name) || tokens.has(name)) continue
    // A misspelt name would leave the user with all rights.
    throw invalidSetting(READ_ONLY, `${READ_ONLY} names ${name}, which is in no file of users`)
  }
  return new Logins({ passwords, tokens, readOnlyUsers: new Set(readOnlyUsers) })
}

/** The entries of a file. Errors name their lines, not their names: on a line without `=`, the secret is the name. */
function readFile(setting: string, path: string): readonly Property[] {
  const entries = parseFile(setting, path)
  if (entries.length === 0) throw invalidSetting(setting, `${setting}: ${path} names no user`)
  for (const { value, line } of entries) {
    if (value === '') throw invalidSetting(setting, `${setting}: line ${line} of ${path} has no value after its name`)
  }
  return entries
}

function parseFile(setting: string, path: string): readonly Property[] {
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a file')
    const bytes = readFileSync(path)
    if (bytes.length > FILE_BYTES_MAX) throw new Error(`it has more than ${FILE_BYTES_MAX} bytes`)
    const entries = readProperties(bytes.toString('utf8'))
    // Of several equal names the last one applies.
    return [...new Map(entries.map((entry) => [entry.name, entry])).values()]
  } catch (thrown) {
    throw invalidSetting(setting, `${setting}: ${path} cannot be read: ${toError(thrown).message}`, thrown)
  }
}

function secretsByName(entries: readonly Property[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ name, value }) => [name, value]))
}

function checkUser({ name, line }: Property): void {
  // The first colon ends the name in the header.
  if (name.includes(':'))
    throw invalidSetting(BASIC, `${BASIC}: the name in line ${line} has a colon, which no login can have`)
}

function checkTokens(entries: readonly Property[]): void {
  const owners = new Map<string, Property>()
  for (const entry of entries) {
    const { value: token, line } = entry
    if (token.length < TOKEN_LENGTH_MIN) {
      throw invalidSetting(BEARER, `${BEARER}: the token in line ${line} has fewer than ${TOKEN_LENGTH_MIN} characters`)
    }
    if (!/^[\w.~+/=-]+$/.test(token)) {
      const allowed = 'letters, digits and -._~+/='
      throw invalidSetting(BEARER, `${BEARER}: the token in line ${line} has other characters than ${allowed}`)
    }
    const owner = owners.get(token)
    if (owner !== undefined) {
      throw invalidSetting(BEARER, `${BEARER}: lines ${owner.line} and ${line} have the same token`)
    }
    owners.set(token, entry)
  }
}
