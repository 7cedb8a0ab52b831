import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeError } from '@tributary/support'
import { cliErrors } from '../errors.ts'
import type { DevConnector } from './dev-connector.ts'

const FILE = 'dev.json'

/**
 * The connectors of a folder of `--data`, which the file `dev.json` names beside the topics: a later start must know
 * whose passwords it needs before it starts the worker. It contains no passwords.
 */
export class DevFolder {
  readonly #path: string

  constructor(folder: string) {
    this.#path = join(folder, FILE)
  }

  /**
   * Empty when there is no file.
   *
   * @throws DEV_FOLDER
   */
  read(): readonly DevConnector[] {
    let text: string
    try {
      text = readFileSync(this.#path, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw this.#refused('cannot be read', error)
    }
    const connectors = connectorsOf(text)
    if (connectors === null) throw this.#refused('was not written by this command', null)
    return connectors
  }

  /** @throws DEV_FOLDER */
  write(connectors: readonly DevConnector[]): void {
    const temporary = `${this.#path}.new`
    try {
      mkdirSync(join(this.#path, '..'), { recursive: true, mode: 0o700 })
      writeFileSync(temporary, `${JSON.stringify({ tributary: 'dev', connectors }, null, 2)}\n`, { mode: 0o600 })
      renameSync(temporary, this.#path)
    } catch (error) {
      throw this.#refused('cannot be written', error)
    }
  }

  #refused(reason: string, cause: unknown): Error {
    const detail = cause === null ? '' : `: ${describeError(cause)}`
    return cliErrors.DEV_FOLDER({ path: this.#path, reason: `${reason}${detail}` }, cause ?? undefined)
  }
}

/** Null: the text has another form. */
function connectorsOf(text: string): readonly DevConnector[] | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(parsed) || parsed['tributary'] !== 'dev' || !Array.isArray(parsed['connectors'])) return null
  const connectors: readonly unknown[] = parsed['connectors']
  return connectors.every(isConnector) ? connectors : null
}

function isConnector(value: unknown): value is DevConnector {
  if (!isObject(value) || typeof value['name'] !== 'string' || !isObject(value['address'])) return false
  const { host, port, user, database, table } = value['address']
  return (
    typeof host === 'string' &&
    typeof port === 'number' &&
    [user, database, table].every((each) => each === null || typeof each === 'string')
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
