import { statSync } from 'node:fs'
import { isAbsolute, normalize, sep } from 'node:path'
import { LookupError, type ProviderParams } from './config-provider.ts'

/**
 * `allowed.paths`: the folders and files that references may name, separated by commas; if it is not set, all. As in
 * Kafka, `..` is resolved before the comparison. The targets of symbolic links are not compared: secrets that
 * Kubernetes mounts are such links.
 */
export class AllowedPaths {
  readonly #paths: readonly string[]

  /** @throws RangeError for a path that is not absolute or does not exist */
  constructor({ 'allowed.paths': paths = '' }: ProviderParams) {
    const given = paths.split(',').map((path) => path.trim())
    this.#paths = given.filter((path) => path !== '').map((path) => checked(path))
  }

  /**
   * Returns the path without `..`, if it is allowed.
   *
   * @throws LookupError
   */
  allow(path: string): string {
    const plain = normalize(path)
    if (this.#paths.length === 0 || this.#paths.some((allowed) => isWithin(plain, allowed))) return plain
    throw new LookupError(`the path ${path} is not within allowed.paths (${this.#paths.join(', ')})`)
  }
}

function checked(path: string): string {
  if (!isAbsolute(path)) throw new RangeError(`the path ${path} of allowed.paths is not absolute`)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new RangeError(`the path ${path} of allowed.paths does not exist`)
  }
  const plain = normalize(path)
  return plain.length > 1 && plain.endsWith(sep) ? plain.slice(0, -1) : plain
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep)
}
