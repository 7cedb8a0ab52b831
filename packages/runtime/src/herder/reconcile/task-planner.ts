import type { ConfigMap } from '@tributary/connect-api'
import { runtimeErrors } from '../../errors.ts'
import type { Plugins } from '../../plugins/plugins.ts'
import type { ConfigStore } from '../../storage/config-store.ts'

/**
 * Computes the task configurations of connectors and stores them in the config topic: the work of the worker that has
 * the connector. A set is one batch of one partition, so it is stored completely or not at all.
 */
export class TaskPlanner {
  readonly #plugins: Plugins
  readonly #configs: ConfigStore

  constructor(plugins: Plugins, configs: ConfigStore) {
    this.#plugins = plugins
    this.#configs = configs
  }

  /** Stores the connector's task configurations unless the stored set is the same. Resolves when the store has them. */
  async plan(connector: string, signal: AbortSignal): Promise<void> {
    const desired = this.#configs.get(connector)
    if (desired === null) return
    const planned = this.#taskConfigs(desired.config)
    if (!areEqual(planned, desired.taskConfigs)) await this.#configs.putTaskConfigs(connector, planned, signal)
  }

  /**
   * A stopped connector has no tasks. It gets some when this worker plans while another one, the leader, stores STOPPED:
   * then they would be assigned, and offsets could not be changed.
   */
  async planStopped(connector: string, signal: AbortSignal): Promise<void> {
    const { taskConfigs } = this.#configs.get(connector) ?? {}
    if ((taskConfigs?.length ?? 0) > 0) await this.#configs.putTaskConfigs(connector, [], signal)
  }

  #taskConfigs(config: ConfigMap): readonly ConfigMap[] {
    const className = config['connector.class'] ?? ''
    const plugin = this.#plugins.source(className)
    if (plugin === null) throw runtimeErrors.CLASS_UNKNOWN({ className, kind: 'connector' })
    const configs = plugin.createConnector().taskConfigs(config, Number(config['tasks.max'] ?? 1))
    return configs.map((each) => ({ ...each, 'task.class': plugin.taskClassName }))
  }
}

/** Whether two sets of task configurations are the same. */
function areEqual(a: readonly ConfigMap[], b: readonly ConfigMap[] | null): boolean {
  if (b === null || a.length !== b.length) return false
  return a.every((config, i) => {
    const other = b[i] ?? {}
    const names = Object.keys(config)
    return names.length === Object.keys(other).length && names.every((name) => config[name] === other[name])
  })
}
