import type { ConnectorInfo, ConnectorStateInfo, CreateConnectorRequest } from '@tributary/rest-api'
import { runtimeErrors } from '../errors.ts'
import type { Plugins } from '../plugins/plugins.ts'
import type { DesiredConnector, TargetState } from '../storage/desired-state.ts'
import type { Storage } from '../storage/storage.ts'
import { requireAddressable } from './addressable-name.ts'
import type { ConfigRequests } from './config-requests.ts'
import type { ConnectorViews } from './connector-views.ts'
import { HerderError, type ConnectorRequest } from './herder-error.ts'
import type { NullableConfig, PutConfigResult, RestartOptions } from './herder.ts'
import type { Assignment } from './reconcile/assignment.ts'
import type { Reconcilers } from './reconcile/reconcilers.ts'
import { planRestart } from './restart-plan.ts'
import type { TopicWait } from './topic-wait.ts'

export interface ConnectorRequestsOptions {
  readonly plugins: Plugins
  readonly storage: Storage
  readonly views: ConnectorViews
  readonly configRequests: ConfigRequests
  readonly reconcilers: Reconcilers
  readonly topicWait: TopicWait
  /** Throws when this worker does not lead the group any more. */
  readonly requireLeader: () => void
  readonly assignment: Assignment
}

/**
 * Requests that change a connector. Each takes its turn in the queue of that connector, checks there and writes to the
 * config topic; the store then reports the change to the reconcilers. So requests about one connector are ordered, and
 * those about others do not wait for it.
 */
export class ConnectorRequests {
  readonly #options: ConnectorRequestsOptions

  constructor(options: ConnectorRequestsOptions) {
    this.#options = options
  }

  async create({ name, config, initialState }: CreateConnectorRequest): Promise<ConnectorInfo> {
    const { storage, configRequests } = this.#options
    this.#requireAddressable(name)
    if (initialState === null || initialState === 'RUNNING') this.#spawnAhead(name, config)
    const valid = await configRequests.requireValid(config)
    await this.#changeAsLeader(name, async (signal) => {
      if (storage.configs.get(name) !== null)
        throw new HerderError({ tag: 'connector already exists', connector: name })
      const targetState = initialState === 'RUNNING' ? 'STARTED' : initialState
      await storage.configs.putConnector(name, valid, targetState, signal)
    })
    configRequests.logSharing(name, valid)
    return { name, config: valid, tasks: [], type: 'source' }
  }

  async putConfig(name: string, config: NullableConfig): Promise<PutConfigResult> {
    const { storage, views, configRequests } = this.#options
    this.#requireAddressable(name)
    this.#spawnAhead(name, config)
    const valid = await configRequests.requireValid(config)
    const result = await this.#changeAsLeader<PutConfigResult>(name, async (signal) => {
      const isNew = storage.configs.get(name) === null
      const tasks = isNew ? [] : views.info(name).tasks
      await storage.configs.putConnector(name, valid, null, signal)
      return { isNew, info: { name, config: valid, tasks, type: 'source' } }
    })
    configRequests.logSharing(name, valid)
    return result
  }

  async patchConfig(name: string, patch: NullableConfig): Promise<ConnectorInfo> {
    const { storage, views, configRequests } = this.#options
    for (;;) {
      const { config } = views.desired(name)
      const valid = await configRequests.requireValid(patched(config, patch))
      const info = await this.#changeAsLeader(name, async (signal) => {
        // The validation asks a database and takes time. Another request's change must not be undone: starts over.
        if (views.desired(name).config !== config) return null
        await storage.configs.putConnector(name, valid, null, signal)
        return { ...views.info(name), config: valid }
      })
      if (info === null) continue
      configRequests.logSharing(name, valid)
      return info
    }
  }

  async delete(name: string): Promise<void> {
    await this.#changeAsLeader(name, async (signal) => {
      this.#require(name, 'read')
      await this.#options.storage.configs.removeConnector(name, signal)
    })
  }

  async setTargetState(name: string, state: TargetState): Promise<void> {
    await this.#change(name, async (signal) => {
      this.#require(name, 'set target state')
      await this.#options.storage.configs.putTargetState(name, state, signal)
    })
  }

  async restart(name: string): Promise<void> {
    await this.#change(name, () => {
      this.#require(name, 'restart')
      this.#requireOwn(this.#options.assignment.hasConnector(name))
      this.#options.reconcilers.reconcile(name)
    })
  }

  restartWithTasks(name: string, options: RestartOptions): Promise<ConnectorStateInfo> {
    const { views, storage } = this.#options
    return this.#changeAsLeader(name, async (signal) => {
      this.#require(name, 'restart')
      const plan = planRestart(views.statusToRestart(name), options)
      await storage.configs.putRestartRequest({ connector: name, ...options }, signal)
      return plan
    })
  }

  async restartTask(name: string, task: number): Promise<void> {
    await this.#change(name, () => {
      const { taskConfigs } = this.#require(name, 'restart')
      if (taskConfigs?.[task] === undefined) throw new HerderError({ tag: 'unknown task', connector: name, task })
      this.#requireOwn(this.#options.assignment.hasTask(name, task))
      this.#options.reconcilers.restartTask(name, task)
    })
  }

  #requireAddressable(name: string): void {
    if (this.#options.storage.configs.get(name) === null) requireAddressable(name)
  }

  /** The thread of a new connector loads its code while the configuration is checked. */
  #spawnAhead(name: string, config: NullableConfig): void {
    const { plugins, storage, reconcilers } = this.#options
    if (storage.configs.get(name) === null && plugins.source(config['connector.class'] ?? '') !== null) {
      reconcilers.runner.spawnAhead(name)
    }
  }

  #require(name: string, request: ConnectorRequest): DesiredConnector {
    const desired = this.#options.storage.configs.get(name)
    if (desired === null) throw new HerderError({ tag: 'unknown connector', connector: name, request })
    return desired
  }

  /** The check of a configuration takes time, in which another worker may have become the leader. */
  #changeAsLeader<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#change(name, async (signal) => {
      this.#options.requireLeader()
      return work(signal)
    })
  }

  #requireOwn(isOwn: boolean): void {
    if (!isOwn) throw new HerderError({ tag: 'not owner', ownerUrl: null })
  }

  /** A change whose wait ends early may still take effect: the store reports it then. */
  #change<T>(name: string, work: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
    const { reconcilers, topicWait } = this.#options
    return topicWait.run((signal) => reconcilers.inTurn(name, work, signal), runtimeErrors.CONFIG_WRITE_FAILED)
  }
}

function patched(config: NullableConfig, patch: NullableConfig): NullableConfig {
  const changed = new Map<string, string | null>(Object.entries(config))
  for (const [property, value] of Object.entries(patch)) {
    if (value === null) changed.delete(property)
    else changed.set(property, value)
  }
  return Object.fromEntries(changed)
}
