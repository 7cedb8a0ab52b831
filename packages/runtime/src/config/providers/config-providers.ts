import type { ConfigMap } from '@tributary/connect-api'
import { type CodedError, describeError } from '@tributary/support'
import { runtimeErrors } from '../../errors.ts'
import { isReference } from '../url-passwords.ts'
import { invalidSetting } from '../invalid-setting.ts'
import { withPrefix } from '../worker-config.ts'
import { clearSecrets } from './clear-secrets.ts'
import { type ConfigProvider, LookupError, type ProviderParams } from './config-provider.ts'
import { DirectoryProvider } from './directory-provider.ts'
import { AnyPathEnvironmentProvider, EnvironmentProvider, type Environment } from './environment-provider.ts'
import { FileProvider } from './file-provider.ts'
import { insteadOf } from './foreign-classes.ts'
import { KubernetesProvider } from './kubernetes-provider.ts'
import { SecretMask } from './secret-mask.ts'

const KAFKA = 'org.apache.kafka.common.config.provider'
const STRIMZI = 'io.strimzi.kafka'

type CreateProvider = (params: ProviderParams, environment: Environment | undefined) => ConfigProvider

const CLASSES: ReadonlyMap<string, CreateProvider> = new Map<string, CreateProvider>([
  [`${KAFKA}.FileConfigProvider`, (params) => new FileProvider(params)],
  [`${KAFKA}.DirectoryConfigProvider`, (params) => new DirectoryProvider(params)],
  [`${KAFKA}.EnvVarConfigProvider`, (params, environment) => new EnvironmentProvider(params, environment)],
  [`${STRIMZI}.EnvVarConfigProvider`, (params, environment) => new AnyPathEnvironmentProvider(params, environment)],
  [`${STRIMZI}.KubernetesSecretConfigProvider`, (params) => new KubernetesProvider('Secret', params)],
  [`${STRIMZI}.KubernetesConfigMapConfigProvider`, (params) => new KubernetesProvider('ConfigMap', params)],
])

/** A configuration with resolved references. It must not be stored or shown; the original is. */
export interface ResolvedConfig {
  readonly config: ConfigMap
  /** Properties with a reference that has no value, and the error; they are unchanged in `config`. */
  readonly errors: ReadonlyMap<string, CodedError>
  /** Masks resolved values, and secrets of the configuration itself, in texts. */
  readonly mask: SecretMask
}

/** The form of Kafka's ConfigTransformer: `${provider:key}` or `${provider:path:key}`, also within a value. */
const REFERENCE = /\$\{([^}]*?):(?:([^}]*?):)?([^}]*?)\}/g

/** The providers in `config.providers` of the worker. As in Kafka, references to other names are not replaced. */
export class ConfigProviders {
  readonly #providers: ReadonlyMap<string, ConfigProvider>

  private constructor(providers: ReadonlyMap<string, ConfigProvider>) {
    this.#providers = providers
  }

  /**
   * @param environment default: that of this process
   * @throws WORKER_SETTING_INVALID
   */
  static of(worker: ConfigMap, environment?: Environment): ConfigProviders {
    const names = (worker['config.providers'] ?? '').split(',').map((name) => name.trim())
    const providers = new Map<string, ConfigProvider>()
    for (const name of names) if (name !== '') providers.set(name, createProvider(name, worker, environment))
    return new ConfigProviders(providers)
  }

  /** Looks up the values of all references. References within a value are not resolved. */
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
    // A reference without a value is no secret, and the message about it names it.
    const clear = Object.entries(config).filter(
      ([property, text]) => resolved[property] === text && !isReference(text.trim()),
    )
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
    const classes = `The classes are ${[...CLASSES.keys()].join(', ')}`
    if (className === '') throw invalidSetting(property, `${property} is not set. ${classes}`)
    const reason = `${property} names ${className}, which Tributary does not have. ${insteadOf(className)}. ${classes}`
    throw invalidSetting(property, reason)
  }
  try {
    return create(withPrefix(worker, `config.providers.${name}.param.`), environment)
  } catch (error) {
    throw invalidSetting(property, `the parameters of the config provider ${name}: ${describeError(error)}`, error)
  }
}

/**
 * Returns the resolved configuration.
 *
 * @throws CONFIG_REFERENCE for the first reference without a value
 */
export function presentConfig({ config, errors }: ResolvedConfig): ConfigMap {
  for (const error of errors.values()) throw error
  return config
}
