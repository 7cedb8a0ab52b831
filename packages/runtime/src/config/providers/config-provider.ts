/** Where values stand that are kept out of configurations. The value of each reference is looked up anew. */
export interface ConfigProvider {
  /**
   * The value of `${name:path:key}`; the path is empty when the reference has none.
   *
   * @throws LookupError
   */
  get(path: string, key: string): string
}

/** Why there is no value. Names places, never contents. */
export class LookupError extends Error {
  override readonly name: string = 'LookupError'
}

/** The parameters of a provider: what stands behind `config.providers.<name>.param.`. */
export type ProviderParams = Readonly<Record<string, string>>
