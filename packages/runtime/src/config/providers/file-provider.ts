import { parseProperties } from '../properties-file.ts'
import { AllowedPaths } from './allowed-paths.ts'
import { type ConfigProvider, LookupError, type ProviderParams } from './config-provider.ts'
import { readSecretFile } from './read-secret-file.ts'

/** `${file:/path:key}`: a property of a file in the format of java.util.Properties. */
export class FileProvider implements ConfigProvider {
  readonly #allowed: AllowedPaths

  constructor(params: ProviderParams) {
    this.#allowed = new AllowedPaths(params)
  }

  get(path: string, key: string): string {
    if (path === '') throw new LookupError('it names no file: write the path before the key')
    const file = this.#allowed.allow(path)
    const properties = propertiesOf(file)
    const value = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (value === undefined) throw new LookupError(`the file ${file} has no key ${key}`)
    return value
  }
}

function propertiesOf(file: string): Readonly<Record<string, string>> {
  const text = readSecretFile(file)
  try {
    return parseProperties(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new LookupError(`the file ${file} is not a properties file: ${error.message}`, { cause: error })
  }
}
