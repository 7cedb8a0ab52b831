import { readFile, stat } from 'node:fs/promises'
import { toError, type Clock } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { Token } from '../api/token-source.ts'
import { tokenOfJwt } from './jwt.ts'

/** More than any token has. */
const FILE_BYTES_MAX = 1 << 20

const SETTING = 'sasl.oauthbearer.token.endpoint.url'

/** Reads the token from a file, each time anew: another program renews it. */
export async function readTokenFile(path: string, clock: Clock): Promise<Token> {
  const value = await smallFile(path, SETTING)
  const remedy = `Check ${SETTING} and the program that writes the file.`
  return tokenOfJwt(value.trim(), { source: `the file ${path}`, remedy, nowMs: clock.now() })
}

/** The content of a small text file. Rejects with SETTING_INVALID. */
export async function smallFile(path: string, setting: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > FILE_BYTES_MAX) throw new Error(`the file is larger than ${FILE_BYTES_MAX >> 20} MiB`)
    return await readFile(path, 'utf8')
  } catch (thrown) {
    throw kafkaErrors.SETTING_INVALID({ name: setting, value: path, reason: toError(thrown).message }, thrown)
  }
}
