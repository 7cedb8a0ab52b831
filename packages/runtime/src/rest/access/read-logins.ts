import { readFileSync, statSync } from 'node:fs'
import { toError } from '@tributary/support'
import { invalidSetting } from '../../config/invalid-setting.ts'
import { parseProperties } from '../../config/properties-file.ts'
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
  const passwords = basicFile === null ? new Map<string, string>() : readFile(BASIC, basicFile)
  const tokens = bearerFile === null ? new Map<string, string>() : readFile(BEARER, bearerFile)
  for (const [name] of passwords) checkUser(name)
  checkTokens(tokens)
  for (const name of readOnlyUsers) {
    if (passwords.has(name) || tokens.has(name)) continue
    // A misspelt name would leave the user with all rights.
    throw invalidSetting(READ_ONLY, `${READ_ONLY} names ${name}, which is in no file of users`)
  }
  return new Logins({ passwords, tokens, readOnlyUsers: new Set(readOnlyUsers) })
}

function readFile(property: string, path: string): ReadonlyMap<string, string> {
  const entries = Object.entries(parseFile(property, path))
  if (entries.length === 0) throw invalidSetting(property, `${property}: ${path} names no user`)
  for (const [name, secret] of entries) {
    if (secret === '') throw invalidSetting(property, `${property}: ${path} has no value for ${name}`)
  }
  return new Map(entries)
}

function parseFile(property: string, path: string): Readonly<Record<string, string>> {
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a file')
    const bytes = readFileSync(path)
    if (bytes.length > FILE_BYTES_MAX) throw new Error(`it has more than ${FILE_BYTES_MAX} bytes`)
    return parseProperties(bytes.toString('utf8'))
  } catch (thrown) {
    throw invalidSetting(property, `${property}: ${path} cannot be read: ${toError(thrown).message}`, thrown)
  }
}

function checkUser(name: string): void {
  // The first colon ends the name in the header.
  if (name.includes(':')) throw invalidSetting(BASIC, `${BASIC}: the name ${name} has a colon, which no login can have`)
}

function checkTokens(tokens: ReadonlyMap<string, string>): void {
  const owners = new Map<string, string>()
  for (const [name, token] of tokens) {
    if (token.length < TOKEN_LENGTH_MIN) {
      throw invalidSetting(BEARER, `${BEARER}: the token of ${name} has fewer than ${TOKEN_LENGTH_MIN} characters`)
    }
    if (!/^[\w.~+/=-]+$/.test(token)) {
      const allowed = 'letters, digits and -._~+/='
      throw invalidSetting(BEARER, `${BEARER}: the token of ${name} has other characters than ${allowed}`)
    }
    const owner = owners.get(token)
    if (owner !== undefined) throw invalidSetting(BEARER, `${BEARER}: ${owner} and ${name} have the same token`)
    owners.set(token, name)
  }
}
