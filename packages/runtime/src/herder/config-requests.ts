import type { ConfigMap, SourceTables } from '@tributary/connect-api'
import type { ConfigInfos, ConfigKeyInfo, ConfigWarning } from '@tributary/rest-api'
import type { Logger } from '@tributary/support'
import type { Plugins } from '../plugins/plugins.ts'
import type { Storage } from '../storage/storage.ts'
import { configInfos, keyInfos } from './config-infos.ts'
import { sharingWarnings } from './config-warnings.ts'
import { withoutNulls } from './checks/check.ts'
import type { ConfigChecks } from './config-checks.ts'
import { checkConfig, validateConnector, type ValidatorContext } from './connector-validator.ts'
import { HerderError } from './herder-error.ts'
import type { NullableConfig } from './herder.ts'

export interface ConfigRequestsOptions {
  readonly plugins: Plugins
  readonly storage: Storage
  readonly logger: Logger
  readonly configChecks: ConfigChecks
  /** Aborts when the worker stops. */
  readonly stop: AbortSignal
}

/** Requests about configurations, stored or not: their definitions, their validity, warnings about them. */
export class ConfigRequests {
  readonly #options: ConfigRequestsOptions
  readonly #validator: Required<ValidatorContext>

  constructor(options: ConfigRequestsOptions) {
    const { plugins, configChecks: checks, storage } = options
    this.#options = options
    this.#validator = {
      plugins,
      checks,
      hasOffsets: (name) => storage.offsets.partitions(name).length > 0,
    }
  }

  /** The properties of a connector, a transformation or a predicate. */
  async definition(className: string): Promise<readonly ConfigKeyInfo[]> {
    const { plugins } = this.#options
    const connector = plugins.source(className)
    if (connector !== null) return keyInfos(connector.createConnector().config().keys)
    await plugins.loadAll()
    const stage = plugins.stage('transformation', className) ?? plugins.stage('predicate', className)
    if (stage === null) throw new HerderError({ tag: 'unknown plugin', className })
    return keyInfos(stage.config.keys)
  }

  async validate(config: NullableConfig): Promise<ConfigInfos> {
    const properties = await checkConfig(this.#validator, config, this.#options.stop)
    return configInfos(config['connector.class'] ?? '', properties)
  }

  /** Returns the configuration when it is valid. */
  requireValid(config: NullableConfig): Promise<ConfigMap> {
    return validateConnector(this.#validator, config, this.#options.stop)
  }

  async warnings(config: NullableConfig): Promise<readonly ConfigWarning[]> {
    const given = withoutNulls(config)
    const { checks, hasOffsets } = this.#validator
    const hasStoredOffsets = hasOffsets(given['name'] ?? '')
    const own = await checks.warnings({ config: given, hasStoredOffsets }, this.#options.stop)
    return [...this.#sharing(given['name'] ?? '', given), ...own]
  }

  /** The tables that the server of a configuration lists. */
  tables(config: NullableConfig): Promise<SourceTables> {
    const { checks } = this.#validator
    return checks.tables({ config: withoutNulls(config), hasStoredOffsets: false }, this.#options.stop)
  }

  /**
   * Logs what a registered connector shares with others: Connect's answers have no field for it. The connector's own
   * warnings are logged when its task starts.
   */
  logSharing(name: string, config: ConfigMap): void {
    const { logger } = this.#options
    for (const { message } of this.#sharing(name, config)) logger.warn(message, { connectorName: name })
  }

  #sharing(name: string, config: ConfigMap): readonly ConfigWarning[] {
    const { configs } = this.#options.storage
    const others = new Map(
      configs.names.flatMap((each) => (each === name ? [] : [[each, configs.get(each)?.config ?? {}]])),
    )
    return sharingWarnings(this.#options, config, others)
  }
}
