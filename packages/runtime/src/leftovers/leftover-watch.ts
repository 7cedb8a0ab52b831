import type { ConfigMap } from '@tributary/connect-api'
import { type Clock, describeError, type Logger, StoppedError, toError } from '@tributary/support'
import { ConfigProviders, presentConfig } from '../config/providers/config-providers.ts'
import type { Plugins } from '../plugins/plugins.ts'
import type { ConfigStore } from '../storage/config-store.ts'

export interface LeftoverWatchOptions {
  readonly configs: Pick<ConfigStore, 'names' | 'get'>
  readonly plugins: Pick<Plugins, 'source'>
  /** With references, and `config.providers`. */
  readonly workerProperties: ConfigMap
  readonly clock: Clock
  readonly logger: Logger
}

/** How soon a deletion is noticed. A look costs a comparison per connector. */
const LOOK_MS = 1_000
/** Some tools change a connector by deleting and creating it: what it has left is still its own then. */
const GRACE_MS = 60_000

/**
 * Removes what the tasks of deleted connectors have left on this machine, a minute after the deletion. Every worker
 * watches, because the tasks may have run on each of them; one that is not running meanwhile removes nothing.
 */
export class LeftoverWatch implements AsyncDisposable {
  readonly #options: LeftoverWatchOptions
  /** The stored configurations at the last look. */
  #known = new Map<string, ConfigMap>()
  /** Of deleted connectors, and when that was noticed. */
  readonly #deleted = new Map<string, { readonly config: ConfigMap; readonly atMs: number }>()
  readonly #stop = new AbortController()
  readonly #done: Promise<void>

  constructor(options: LeftoverWatchOptions) {
    this.#options = options
    this.#done = this.#run(this.#stop.signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    try {
      for (;;) {
        this.#look()
        await this.#removeOlderThan(clock.now() - GRACE_MS)
        await clock.sleep(LOOK_MS, signal)
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  }

  #look(): void {
    const { configs, clock } = this.#options
    const present = new Map<string, ConfigMap>()
    for (const name of configs.names) {
      const config = configs.get(name)?.config
      if (config !== undefined) present.set(name, config)
      this.#deleted.delete(name)
    }
    for (const [name, config] of this.#known) {
      if (!present.has(name)) this.#deleted.set(name, { config, atMs: clock.now() })
    }
    this.#known = present
  }

  async #removeOlderThan(limitMs: number): Promise<void> {
    for (const [name, { config, atMs }] of this.#deleted) {
      if (atMs > limitMs) continue
      if (await this.#remove(name, config)) this.#deleted.delete(name)
    }
  }

  /** False: a task still uses it. */
  async #remove(name: string, config: ConfigMap): Promise<boolean> {
    const { plugins, workerProperties, logger } = this.#options
    try {
      const resolved = presentConfig(ConfigProviders.of(workerProperties).resolve(config))
      const connector = plugins.source(resolved['connector.class'] ?? '')?.createConnector()
      return (await connector?.removeLeftovers?.(resolved)) ?? true
    } catch (error) {
      const reason = describeError(toError(error))
      logger.warn(`What the deleted connector ${name} has left on this machine cannot be removed: ${reason}`)
      return true
    }
  }

  /** Removes without delay what deleted connectors have left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#done
    this.#look()
    await this.#removeOlderThan(Number.POSITIVE_INFINITY)
  }
}
