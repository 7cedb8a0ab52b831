/** A source of values that are not written in configurations. Each call looks the value up again. */
export interface ConfigProvider {
  /**
   * Returns the value of `${name:path:key}`; the path is empty if the reference has none.
   *
   * @throws LookupError
   */
  get(path: string, key: string): string
}

/** A `${provider:path:key}` without a value. The message names file and key, and quotes nothing that a file contains. */
export class LookupError extends Error {
  override readonly name: string = 'LookupError'
}

/** The parameters of a provider: the properties `config.providers.<name>.param.…`, without that prefix. */
export type ProviderParams = Readonly<Record<string, string>>
