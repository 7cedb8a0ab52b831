import type { ConfigMap } from '@tributary/connect-api'
import type {
  ConnectorInfo,
  ConnectorState,
  ConnectorStateInfo,
  CreateConnectorRequest,
  PluginInfo,
  ServerInfo,
  TaskInfo,
  TaskState,
  TaskStatus,
  WorkerStatus,
} from '@tributary/rest-api'
import { throwIfStopped, toError, type Clock, type Logger } from '@tributary/support'
import type { Plugins } from '../plugins/plugins.ts'
import type { StatusRecord } from '../storage/status-store.ts'
import type { WorkerStorage } from '../storage/worker-storage.ts'
import { formatTrace } from '../task/trace.ts'
import type { TaskListener, Worker } from '../worker/worker.ts'
import { validateConnector } from './connector-validator.ts'
import { RequestError, type Herder } from './herder.ts'
import { SerialQueue } from './serial-queue.ts'

export interface HerderOptions {
  readonly plugins: Plugins
  readonly storage: WorkerStorage
  readonly clock: Clock
  readonly logger: Logger
  /** `host:port` under which this worker is known. */
  readonly workerId: string
  readonly serverInfo: ServerInfo
  /** Makes the worker that runs the tasks; it tells the herder what becomes of them. */
  readonly createWorker: (listener: TaskListener) => Worker
}

/**
 * Looks after the connectors of a group in which this worker is alone (Connect's DistributedHerder without the group).
 *
 * Everything that changes what runs goes through one queue, in order: creating and deleting the same connector at once gives
 * one of the two outcomes, never half of each. Requests are answered when the change is stored; what follows from it (tasks
 * starting and stopping) comes after, in the queue. Reads look at the stores in memory.
 */
export class DistributedHerder implements Herder, TaskListener {
  readonly #options: HerderOptions
  readonly #worker: Worker
  readonly #queue = new SerialQueue()
  readonly #stop = new AbortController()

  constructor(options: HerderOptions) {
    this.#options = options
    this.#worker = options.createWorker(this)
  }

  /** Starts every stored connector. The storage has been read to its end. */
  async start(): Promise<void> {
    for (const name of this.#options.storage.configs.names) await this.#queue.run(() => this.#startConnector(name))
  }

  serverInfo(): ServerInfo {
    return this.#options.serverInfo
  }

  health(): WorkerStatus {
    return { status: 'healthy', message: 'Worker has completed startup and is ready to handle requests.' }
  }

  connectorNames(): readonly string[] {
    return this.#options.storage.configs.names
  }

  connectorInfo(name: string): ConnectorInfo {
    const { config, taskConfigs } = this.#find(name)
    const tasks = (taskConfigs ?? []).map((_, task) => ({ connector: name, task }))
    return { name, config, tasks, type: this.#typeOf(config) }
  }

  connectorConfig(name: string): ConfigMap {
    return this.#find(name).config
  }

  taskInfos(name: string): readonly TaskInfo[] {
    return (this.#find(name).taskConfigs ?? []).map((config, task) => ({ id: { connector: name, task }, config }))
  }

  #find(name: string): { readonly config: ConfigMap; readonly taskConfigs: readonly ConfigMap[] | null } {
    const connector = this.#options.storage.configs.get(name)
    if (connector === null) throw new RequestError(404, `Connector ${name} not found`)
    return connector
  }

  #typeOf(config: ConfigMap): ConnectorInfo['type'] {
    return this.#options.plugins.source(config['connector.class'] ?? '') === null ? 'unknown' : 'source'
  }

  connectorStatus(name: string): ConnectorStateInfo {
    const { configs, statuses } = this.#options.storage
    const status = statuses.connector(name)
    if (status === null) throw new RequestError(404, `No status found for connector ${name}`)
    return {
      name,
      connector: statusView(status),
      tasks: statuses.tasks(name).map(([id, task]) => ({ id, ...statusView(task) })),
      type: this.#typeOf(configs.get(name)?.config ?? {}),
    }
  }

  taskStatus(name: string, task: number): TaskStatus {
    const found = this.#options.storage.statuses.tasks(name).find(([id]) => id === task)
    if (found === undefined) throw new RequestError(404, `No status found for task ${name}-${task}`)
    return { id: task, ...statusView(found[1]) }
  }

  plugins(connectorsOnly: boolean): readonly PluginInfo[] {
    return this.#options.plugins.list(connectorsOnly)
  }

  async createConnector({ name, config, initialState }: CreateConnectorRequest): Promise<ConnectorInfo> {
    const { plugins, storage } = this.#options
    const valid = await validateConnector(plugins, config, this.#stop.signal)
    await this.#queue.run(async () => {
      throwIfStopped(this.#stop.signal)
      if (storage.configs.get(name) !== null) throw new RequestError(409, `Connector ${name} already exists`)
      await storage.configs.putConnector(name, valid.config, initialState === 'RUNNING' ? 'STARTED' : initialState)
    })
    void this.#queue.run(() => this.#startConnector(name))
    return { name, config: valid.config, tasks: [], type: 'source' }
  }

  async deleteConnector(name: string): Promise<void> {
    const { storage } = this.#options
    const taskCount = await this.#queue.run(async () => {
      const { taskConfigs } = this.#find(name)
      await storage.configs.removeConnector(name)
      return taskConfigs?.length ?? 0
    })
    void this.#queue.run(async () => {
      await this.#stopTasks(name, taskCount)
      await storage.statuses.remove(name)
      this.#options.logger.info(`Deleted connector ${name}`)
    })
  }

  async #stopTasks(name: string, count: number): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, (_, task) => this.#worker.stopTask(name, task, CONNECTOR_STOP_TIMEOUT_MS)),
    )
  }

  /** Brings a connector and its tasks to what is stored about it. A connector that cannot start is FAILED; others go on. */
  async #startConnector(name: string): Promise<void> {
    const { storage, logger } = this.#options
    const stored = storage.configs.get(name)
    if (stored === null) return
    if (stored.targetState !== 'STARTED') {
      await this.#putConnector(name, stored.targetState)
      return
    }
    try {
      const tasks = this.#taskConfigs(stored.config)
      if (!areEqual(tasks, stored.taskConfigs)) await storage.configs.putTaskConfigs(name, tasks)
      await this.#putConnector(name, 'RUNNING')
      for (const [task, config] of tasks.entries()) await this.#startTask(name, task, config)
    } catch (error) {
      logger.error(`Connector ${name} could not be started`, { error: toError(error) })
      await this.#putConnector(name, 'FAILED', formatTrace(error))
    }
  }

  #taskConfigs(config: ConfigMap): readonly ConfigMap[] {
    const className = config['connector.class'] ?? ''
    const plugin = this.#options.plugins.source(className)
    if (plugin === null) throw new Error(this.#options.plugins.unknownConnectorText(className))
    const tasksMax = Number(config['tasks.max'] ?? 1)
    const configs = plugin.createConnector().taskConfigs(config, tasksMax)
    return configs.map((each) => ({ ...each, 'task.class': plugin.taskClassName }))
  }

  async #startTask(name: string, task: number, config: ConfigMap): Promise<void> {
    const { storage } = this.#options
    await this.#putTask(name, task, 'UNASSIGNED')
    await storage.readOffsetsToEnd()
    const storedOffsets = storage.offsets.offsets(name)
    this.#worker.startTask({ connectorName: name, taskNumber: task, config, storedOffsets })
  }

  onStarted(connector: string, task: number): void {
    void this.#putTask(connector, task, 'RUNNING')
  }

  onTopic(connector: string, task: number, topic: string): void {
    void this.#options.storage.statuses.putTopic(connector, task, topic, this.#options.clock.now())
  }

  onFailed(connector: string, task: number, trace: string): void {
    void this.#putTask(connector, task, 'FAILED', trace)
  }

  #putConnector(name: string, state: ConnectorState, trace: string | null = null): Promise<void> {
    return this.#options.storage.statuses.putConnector(name, this.#status(name, state, trace))
  }

  async #putTask(name: string, task: number, state: TaskState, trace: string | null = null): Promise<void> {
    // A report of a task whose connector was deleted meanwhile must not bring its status back.
    if (this.#options.storage.configs.get(name) === null) return
    await this.#options.storage.statuses.putTask(name, task, this.#status(name, state, trace))
  }

  #status<S extends ConnectorState>(name: string, state: S, trace: string | null): StatusRecord<S> {
    const { plugins, storage, workerId } = this.#options
    const className = storage.configs.get(name)?.config['connector.class'] ?? ''
    const version = state === 'UNASSIGNED' ? null : (plugins.source(className)?.version ?? null)
    return { state, trace, worker_id: workerId, generation: GENERATION, version }
  }

  /** Ends all tasks and says in the statuses that nobody runs them. */
  async stop(limitMs: number): Promise<void> {
    const { storage } = this.#options
    this.#stop.abort()
    await this.#queue.drain()
    await this.#worker.stop(limitMs)
    for (const name of storage.configs.names) {
      for (const [task, { state }] of storage.statuses.tasks(name)) {
        if (state === 'RUNNING') await this.#putTask(name, task, 'UNASSIGNED')
      }
      if (storage.statuses.connector(name)?.state === 'RUNNING') await this.#putConnector(name, 'UNASSIGNED')
    }
  }
}

/** Connect gives a connector five seconds, and its tasks what is left of the worker's limit; a deleted one has ten. */
const CONNECTOR_STOP_TIMEOUT_MS = 10_000
/** Statuses carry the generation of the group; a worker that is alone has one. */
const GENERATION = 1

function statusView<S>({ state, worker_id, version, trace }: StatusRecord<S>): {
  state: S
  worker_id: string
  version: string | null
  trace?: string
} {
  return trace === null ? { state, worker_id, version } : { state, worker_id, version, trace }
}

function areEqual(a: readonly ConfigMap[], b: readonly ConfigMap[] | null): boolean {
  if (b === null || a.length !== b.length) return false
  return a.every((config, i) => {
    const other = b[i] ?? {}
    const names = Object.keys(config)
    return names.length === Object.keys(other).length && names.every((name) => config[name] === other[name])
  })
}
