import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AllowedPaths } from './allowed-paths.ts'
import { type ConfigProvider, LookupError, type ProviderParams } from './config-provider.ts'
import { readSecretFile } from './read-secret-file.ts'

/** `${dir:/path:file}`: the content of a file in a folder, as Docker and Kubernetes mount secrets. */
export class DirectoryProvider implements ConfigProvider {
  readonly #allowed: AllowedPaths

  constructor(params: ProviderParams) {
    this.#allowed = new AllowedPaths(params)
  }

  get(path: string, key: string): string {
    if (path === '') throw new LookupError('it names no directory: write the path before the name of the file')
    const folder = this.#allowed.allow(path)
    if (!isDirectory(folder)) {
      throw new LookupError(`the path ${folder} is not a directory`)
    }
    if (key !== basename(key) || key === '..' || key === '.') {
      throw new LookupError(`${key} is not the name of a file in the directory ${folder}`)
    }
    return readSecretFile(join(folder, key))
  }
}

/** False also for a path that cannot be followed: a circle of symbolic links, a folder without access. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
