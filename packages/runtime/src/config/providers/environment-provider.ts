import { JavaPatterns } from '@tributary/support'
import { type ConfigProvider, LookupError, type ProviderParams } from './config-provider.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Elsewhere only the cli reads the environment; here references name its variables. */
// oxlint-disable-next-line no-restricted-properties -- see above
const SERVICE_ENVIRONMENT: Environment = process.env

/** `${env:NAME}`: a variable of the service's environment; `allowlist.pattern` limits which. */
export class EnvironmentProvider implements ConfigProvider {
  readonly #environment: Environment
  readonly #allowlist: string | null
  readonly #allowed: JavaPatterns

  /** @throws SyntaxError if the pattern is not a regular expression that can be matched in linear time */
  constructor({ 'allowlist.pattern': pattern }: ProviderParams, environment: Environment = SERVICE_ENVIRONMENT) {
    this.#environment = environment
    this.#allowlist = pattern ?? null
    this.#allowed = new JavaPatterns([pattern ?? '.*'])
  }

  get(path: string, key: string): string {
    if (path !== '') {
      throw new LookupError(`Path is not supported for EnvVarConfigProvider, invalid value '${path}'`)
    }
    if (!this.#allowed.matches(key)) {
      throw new LookupError(`allowlist.pattern (${this.#allowlist}) does not allow the variable ${key}`)
    }
    const value = this.#environment[key]
    if (value === undefined) throw new LookupError(`the environment of the service has no variable ${key}`)
    return value
  }
}

/** Strimzi's provider of the same kind, which ignores the path: `${strimzienv::NAME}`. */
export class AnyPathEnvironmentProvider implements ConfigProvider {
  readonly #provider: EnvironmentProvider

  /** @throws SyntaxError as EnvironmentProvider does */
  constructor(params: ProviderParams, environment?: Environment) {
    this.#provider = new EnvironmentProvider(params, environment)
  }

  get(_path: string, key: string): string {
    return this.#provider.get('', key)
  }
}
