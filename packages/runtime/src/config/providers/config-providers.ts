import type { ConfigMap } from '@tributary/connect-api'
import { type CodedError, describeError } from '@tributary/support'
import { runtimeErrors } from '../../errors.ts'
import { invalidSetting, withPrefix } from '../worker-config.ts'
import { clearSecrets } from './clear-secrets.ts'
import { type ConfigProvider, LookupError, type ProviderParams } from './config-provider.ts'
import { DirectoryProvider } from './directory-provider.ts'
import { EnvironmentProvider, type Environment } from './environment-provider.ts'
import { FileProvider } from './file-provider.ts'
import { SecretMask } from './secret-mask.ts'

const PACKAGE = 'org.apache.kafka.common.config.provider'

type CreateProvider = (params: ProviderParams, environment: Environment | undefined) => ConfigProvider

const CLASSES: ReadonlyMap<string, CreateProvider> = new Map<string, CreateProvider>([
  [`${PACKAGE}.FileConfigProvider`, (params) => new FileProvider(params)],
  [`${PACKAGE}.DirectoryConfigProvider`, (params) => new DirectoryProvider(params)],
  [`${PACKAGE}.EnvVarConfigProvider`, (params, environment) => new EnvironmentProvider(params, environment)],
])

/** A configuration with its references resolved. It is for the eyes of nobody: what is stored and shown is the original. */
export interface ResolvedConfig {
  readonly config: ConfigMap
  /** The properties with a reference that has no value, each with the reason; they are left as they were. */
  readonly errors: ReadonlyMap<string, CodedError>
  /** For texts that may contain resolved values, or secrets that stand in the configuration itself. */
  readonly mask: SecretMask
}

/** The form of Kafka's ConfigTransformer: `${provider:key}` or `${provider:path:key}`, also within a value. */
const REFERENCE = /\$\{([^}]*?):(?:([^}]*?):)?([^}]*?)\}/g

/** What `config.providers` of the worker names. A reference to another name stands for itself, as in Kafka. */
export class ConfigProviders {
  readonly #providers: ReadonlyMap<string, ConfigProvider>

  private constructor(providers: ReadonlyMap<string, ConfigProvider>) {
    this.#providers = providers
  }

  /**
   * `environment`: default that of the service.
   *
   * @throws WORKER_SETTING_INVALID
   */
  static of(worker: ConfigMap, environment?: Environment): ConfigProviders {
    const names = (worker['config.providers'] ?? '').split(',').map((name) => name.trim())
    const providers = new Map<string, ConfigProvider>()
    for (const name of names) if (name !== '') providers.set(name, createProvider(name, worker, environment))
    return new ConfigProviders(providers)
  }

  /** Values are looked up now, and not looked through for further references. */
  resolve(config: ConfigMap): ResolvedConfig {
    const resolved: Record<string, string> = {}
    const errors = new Map<string, CodedError>()
    const values = new Map<string, string>()
    for (const [property, text] of Object.entries(config)) {
      try {
        resolved[property] = this.#resolveText(text, values)
      } catch (error) {
        if (!(error instanceof UnresolvedError)) throw error
        const { reference, message: reason } = error
        errors.set(property, runtimeErrors.CONFIG_REFERENCE({ property, reference, reason }))
        resolved[property] = text
      }
    }
    const clear = Object.entries(config).filter(([property, text]) => resolved[property] === text)
    return { config: resolved, errors, mask: new SecretMask(values, clearSecrets(Object.fromEntries(clear))) }
  }

  #resolveText(text: string, values: Map<string, string>): string {
    if (this.#providers.size === 0 || !text.includes('${')) return text
    return text.replaceAll(REFERENCE, (reference: string, name: string, path: string | undefined, key: string) => {
      const provider = this.#providers.get(name)
      if (provider === undefined) return reference
      try {
        const value = provider.get(path ?? '', key)
        values.set(reference, value)
        return value
      } catch (error) {
        if (!(error instanceof LookupError)) throw error
        throw new UnresolvedError(reference, error)
      }
    })
  }
}

/** A reference without a value. */
class UnresolvedError extends Error {
  override readonly name: string = 'UnresolvedError'
  readonly reference: string

  constructor(reference: string, cause: LookupError) {
    super(cause.message, { cause })
    this.reference = reference
  }
}

function createProvider(name: string, worker: ConfigMap, environment: Environment | undefined): ConfigProvider {
  const property = `config.providers.${name}.class`
  const className = worker[property]?.trim() ?? ''
  const create = CLASSES.get(className)
  if (create === undefined) {
    const what = className === '' ? 'is not set' : `names ${className}, which this version does not have`
    throw invalidSetting(property, `${property} ${what}; there are ${[...CLASSES.keys()].join(', ')}`)
  }
  try {
    return create(withPrefix(worker, `config.providers.${name}.param.`), environment)
  } catch (error) {
    throw invalidSetting(property, `the parameters of the config provider ${name}: ${describeError(error)}`, error)
  }
}

/** The configuration, when each of its references has a value. */
export function presentConfig({ config, errors }: ResolvedConfig): ConfigMap {
  for (const error of errors.values()) throw error
  return config
}
