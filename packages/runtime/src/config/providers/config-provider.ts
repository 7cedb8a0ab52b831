/** A source of values that are not written in configurations. Each call looks the value up again. */
export interface ConfigProvider {
  /**
   * Returns the value of `${name:path:key}`; the path is empty if the reference has none.
   *
   * @throws LookupError
   */
  get(path: string, key: string): string
}

/** The reason why a reference has no value. The message names places and quotes no contents. */
export class LookupError extends Error {
  override readonly name: string = 'LookupError'
}

/** The parameters of a provider: the properties `config.providers.<name>.param.…`, without that prefix. */
export type ProviderParams = Readonly<Record<string, string>>
