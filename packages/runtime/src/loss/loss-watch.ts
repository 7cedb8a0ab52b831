import type { TimeToLoss } from '@tributary/rest-api'
import { StoppedError } from '@tributary/support'
import type { ConfigStore } from '../storage/config-store.ts'
import { ConnectorWatch, type ConnectorWatchOptions } from './connector-watch.ts'

export interface LossWatchOptions extends Omit<ConnectorWatchOptions, 'name' | 'config'> {
  readonly configs: Pick<ConfigStore, 'names' | 'get'>
}

/** How soon a new or changed connector is noticed. A look costs a comparison per connector. */
const LOOK_INTERVAL_MS = 1000

/**
 * Watches for each stored connector how long its source keeps what it needs. It runs in the main thread beside the
 * herder, because the tasks may be paused, stopped or failed: then the time counts most.
 *
 *     config store ─▶ LossWatch ─▶ ConnectorWatch (one per connector) ─▶ LossProbe of the plug-in ─▶ the server
 *                                    │  stored offset ◀─ offset store
 *                                    └▶ log warnings, `read`
 */
export class LossWatch implements AsyncDisposable {
  readonly #options: LossWatchOptions
  readonly #watches = new Map<string, ConnectorWatch>()
  readonly #stop = new AbortController()
  readonly #ending = new Set<Promise<void>>()
  readonly #done: Promise<void>

  constructor(options: LossWatchOptions) {
    this.#options = options
    this.#done = this.#run(this.#stop.signal)
  }

  /** Over the stores of a worker. */
  static over(
    { configs, offsets }: Pick<LossWatchOptions, 'configs' | 'offsets'>,
    options: Omit<LossWatchOptions, 'configs' | 'offsets'>,
  ): LossWatch {
    return new LossWatch({ configs, offsets, ...options })
  }

  /** The state of a stored connector; null when it is unknown, or was stored less than a second ago. Never waits. */
  read(connector: string): TimeToLoss | null {
    return this.#watches.get(connector)?.read() ?? null
  }

  /** By connector, of those that have been looked at. Never waits. */
  readAll(): ReadonlyMap<string, TimeToLoss> {
    return new Map(Array.from(this.#watches, ([name, watch]) => [name, watch.read()]))
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#options.clock.sleep(LOOK_INTERVAL_MS, signal)
        this.#look()
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  }

  #look(): void {
    const { configs } = this.#options
    const names = new Set(configs.names)
    for (const [name, watch] of this.#watches) {
      // The store keeps the object of a configuration until it gets another one.
      if (configs.get(name)?.config !== watch.config) this.#end(name, watch)
    }
    for (const name of names) {
      const config = configs.get(name)?.config
      if (config === undefined || this.#watches.has(name)) continue
      this.#watches.set(name, new ConnectorWatch({ ...this.#options, name, config }))
    }
  }

  #end(name: string, watch: ConnectorWatch): void {
    this.#watches.delete(name)
    const ending = watch[Symbol.asyncDispose]().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  /** Ends all measurements. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    for (const [name, watch] of this.#watches) this.#end(name, watch)
    await Promise.all([this.#done, ...this.#ending])
  }
}
