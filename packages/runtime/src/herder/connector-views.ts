import type { ConfigMap } from '@tributary/connect-api'
import type { ConnectorInfo, ConnectorStateInfo, TaskInfo, TaskStatus } from '@tributary/rest-api'
import type { Plugins } from '../plugins/plugins.ts'
import type { DesiredConnector } from '../storage/desired-state.ts'
import type { StatusRecord } from '../storage/status-store.ts'
import type { Storage } from '../storage/storage.ts'
import { HerderError } from './herder-error.ts'

/** The connectors in the stores as the documents of the REST interface. Answered from memory. */
export class ConnectorViews {
  readonly #storage: Storage
  readonly #plugins: Plugins

  constructor(storage: Storage, plugins: Plugins) {
    this.#storage = storage
    this.#plugins = plugins
  }

  get names(): readonly string[] {
    return this.#storage.configs.names
  }

  /** @throws HerderError for an unknown connector */
  desired(name: string): DesiredConnector {
    const connector = this.#storage.configs.get(name)
    if (connector === null) throw new HerderError({ tag: 'unknown connector', connector: name, request: 'read' })
    return connector
  }

  info(name: string): ConnectorInfo {
    const { config, taskConfigs } = this.desired(name)
    const tasks = (taskConfigs ?? []).map((_, task) => ({ connector: name, task }))
    return { name, config, tasks, type: this.#typeOf(config) }
  }

  taskInfos(name: string): readonly TaskInfo[] {
    return (this.desired(name).taskConfigs ?? []).map((config, task) => ({ id: { connector: name, task }, config }))
  }

  status(name: string): ConnectorStateInfo {
    const { configs, statuses } = this.#storage
    const status = statuses.connector(name)
    if (status === null) throw new HerderError({ tag: 'no connector status', connector: name, request: 'read' })
    return {
      name,
      connector: statusView(status),
      tasks: statuses.tasks(name).map(([id, task]) => ({ id, ...statusView(task) })),
      type: this.#typeOf(configs.get(name)?.config ?? {}),
    }
  }

  /** The status of a stored connector. Without a reported one, the error is that of restart requests. */
  statusToRestart(name: string): ConnectorStateInfo {
    if (this.#storage.statuses.connector(name) !== null) return this.status(name)
    throw new HerderError({ tag: 'no connector status', connector: name, request: 'restart' })
  }

  taskStatus(name: string, task: number): TaskStatus {
    const found = this.#storage.statuses.tasks(name).find(([id]) => id === task)
    if (found === undefined) throw new HerderError({ tag: 'no task status', connector: name, task })
    return { id: task, ...statusView(found[1]) }
  }

  #typeOf(config: ConfigMap): ConnectorInfo['type'] {
    return this.#plugins.source(config['connector.class'] ?? '') === null ? 'unknown' : 'source'
  }
}

function statusView<S>({ state, worker_id, version, trace }: StatusRecord<S>): {
  state: S
  worker_id: string
  version: string | null
  trace?: string
} {
  return trace === null ? { state, worker_id, version } : { state, worker_id, version, trace }
}
