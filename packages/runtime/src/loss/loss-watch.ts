import type { TimeToLoss } from '@tributary/rest-api'
import { Permits, StoppedError } from '@tributary/support'
import type { ConfigStore } from '../storage/config-store.ts'
import { ConnectorWatch, type ConnectorWatchOptions } from './connector-watch.ts'

export interface LossWatchOptions extends Omit<ConnectorWatchOptions, 'name' | 'config' | 'delayMs' | 'permits'> {
  readonly configs: Pick<ConfigStore, 'names' | 'get'>
  /** As Math.random. */
  readonly random?: () => number
}

/** How soon a new or changed connector is noticed. A look costs a comparison per connector. */
const LOOK_INTERVAL_MS = 1000

/**
 * Measurements of a worker at the same time. Hundreds of connectors may read the same server, on which a measurement is a
 * login. A server that does not answer has one of them for 20 s.
 */
const MEASUREMENTS_MAX = 4
/** New connectors are measured at this rate. Their measurements remain spread, as the intervals begin at their ends. */
const SPREAD_MS_PER_CONNECTOR = 250
const SPREAD_MS_MAX = 60_000

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
  readonly #permits = new Permits(MEASUREMENTS_MAX)
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

  /** By connector, of those that are watched. Never waits. */
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
    const added = [...names].filter((name) => !this.#watches.has(name))
    // At random, so that the workers of a group, which all begin with all connectors, do not ask at the same time.
    const spreadMs = Math.min(SPREAD_MS_MAX, added.length * SPREAD_MS_PER_CONNECTOR)
    const { random = Math.random } = this.#options
    for (const name of added) {
      const config = configs.get(name)?.config
      if (config === undefined) continue
      const delayMs = Math.round(random() * spreadMs)
      this.#watches.set(name, new ConnectorWatch({ ...this.#options, name, config, delayMs, permits: this.#permits }))
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
