import type { ConfigMap } from '@tributary/connect-api'
import type { ConnectorState, ConnectorStateInfo, TaskState } from '@tributary/rest-api'
import {
  StoppedError,
  doneOr,
  present,
  throwIfStopped,
  toError,
  withTimeout,
  type Clock,
  type Logger,
} from '@tributary/support'
import type { TopicTracking } from '../config/worker-config.ts'
import { runtimeErrors } from '../errors.ts'
import type { Plugins } from '../plugins/plugins.ts'
import type { StoredConnector } from '../storage/config-store.ts'
import type { StatusRecord } from '../storage/status-store.ts'
import type { Storage } from '../storage/storage.ts'
import { formatTrace } from '../task/trace.ts'
import type { TaskListener, TaskRunner } from '../worker/worker.ts'
import type { NullableConfig } from './herder.ts'

export interface ConnectorLifecycleOptions {
  readonly plugins: Plugins
  readonly storage: Storage
  readonly clock: Clock
  readonly logger: Logger
  /** `host:port` under which this worker is known. */
  readonly workerId: string
  readonly topicTracking: TopicTracking
  /** Makes what runs the tasks; it tells the lifecycle what becomes of them. */
  readonly createRunner: (listener: TaskListener) => TaskRunner
}

/**
 * Brings what runs to what is stored, and keeps the statuses. `reconcile` looks only at the stores, so it does not matter how
 * often or why it is called: after a request, at the start of the worker, or because somebody else has written to the config
 * topic. Calls come one after the other.
 */
export class ConnectorLifecycle implements TaskListener {
  readonly #options: ConnectorLifecycleOptions
  readonly #runner: TaskRunner
  /** What was last started, by connector. A task that has failed since is not started again by itself. */
  readonly #started = new Map<string, StartedTasks>()
  /** Tasks whose restart was asked for and has not begun, by connector. */
  readonly #toRestart = new Map<string, Set<number>>()

  constructor(options: ConnectorLifecycleOptions) {
    this.#options = options
    this.#runner = options.createRunner(this)
  }

  /** There is no connector: somebody will register one. */
  expectFirst(): void {
    // The worker checks the connector, its thread runs the task.
    this.#options.plugins.preload()
    this.#runner.expectFirst()
  }

  /** The connector is new and its configuration is being checked. */
  expect(name: string, config: NullableConfig): void {
    const { plugins, storage } = this.#options
    if (storage.configs.get(name) === null && plugins.source(config['connector.class'] ?? '') !== null) {
      this.#runner.expectConnector(name)
    }
  }

  /** Starts, stops or removes the connector's tasks. A connector that cannot start is FAILED; others go on. */
  async reconcile(name: string, signal: AbortSignal): Promise<void> {
    const { storage, logger } = this.#options
    const stored = storage.configs.get(name)
    if (stored === null) {
      await this.#remove(name)
      return
    }
    if (stored.targetState !== 'STARTED') {
      await this.#halt(name, stored.targetState)
      return
    }
    try {
      await this.#start(name, stored, signal)
    } catch (error) {
      if (error instanceof StoppedError) throw error
      logger.error(`Connector ${name} could not be started`, { error: toError(error) })
      this.#putConnector(name, 'FAILED', formatTrace(error))
    }
  }

  /** Takes note of a restart that the next `reconcile` does: what is RESTARTING in the plan. */
  noteRestart(name: string, { connector, tasks }: ConnectorStateInfo): void {
    if (connector.state === 'RESTARTING') this.#putConnector(name, 'RESTARTING')
    for (const { id, state } of tasks) if (state === 'RESTARTING') this.noteTaskRestart(name, id)
  }

  noteTaskRestart(name: string, task: number): void {
    this.#putTask(name, task, 'RESTARTING')
    this.#toRestart.set(name, (this.#toRestart.get(name) ?? new Set()).add(task))
  }

  /** Removes what a deletion that was cut short has left behind. */
  removeOrphans(): void {
    const { configs, statuses } = this.#options.storage
    for (const name of statuses.names) if (configs.get(name) === null) statuses.remove(name)
  }

  async #remove(name: string): Promise<void> {
    this.#started.delete(name)
    this.#toRestart.delete(name)
    await this.#stopTasks(name)
    this.#options.storage.statuses.remove(name)
    this.#options.logger.info(`Deleted connector ${name}`)
  }

  /** A paused connector keeps its tasks, a stopped one has none. */
  async #halt(name: string, state: 'PAUSED' | 'STOPPED'): Promise<void> {
    const started = this.#started.get(name)
    this.#toRestart.delete(name)
    if (state === 'STOPPED') this.#started.delete(name)
    else if (started !== undefined) this.#started.set(name, { ...started, isPaused: true })
    await this.#stopTasks(name)
    const { statuses } = this.#options.storage
    for (const [task, status] of statuses.tasks(name)) {
      if (state === 'STOPPED') statuses.removeTask(name, task)
      else if (status.state !== 'FAILED') this.#putTask(name, task, state)
    }
    this.#putConnector(name, state)
  }

  async #stopTasks(name: string, tasks?: readonly number[]): Promise<void> {
    await this.#runner.stopTasks(name, TASKS_STOP_TIMEOUT_MS, tasks)
  }

  async #start(name: string, { config, taskConfigs }: StoredConnector, signal: AbortSignal): Promise<void> {
    const { configs, statuses } = this.#options.storage
    const tasks = this.#taskConfigs(config)
    // A connector that was deleted and created since has none, also when it is the same again.
    const isStored = areEqual(tasks, taskConfigs)
    if (!isStored) await configs.putTaskConfigs(name, tasks, signal)
    this.#putConnector(name, 'RUNNING')
    const started = this.#started.get(name)
    const isSame = isStored && started !== undefined && areEqual(tasks, started.configs)
    const chosen = isSame ? this.#chooseTasks(name, started) : [...tasks.keys()]
    if (isSame && chosen.length === 0) {
      this.#started.set(name, { configs: tasks, isPaused: false })
      return
    }
    this.#started.delete(name)
    // Before they end, which takes up to 10 s (Connect: after it): who waits must not take what runs still for what is to run.
    this.#unassign(name, chosen, 'RESTARTING')
    await this.#stopTasks(name, isSame ? chosen : undefined)
    for (const [task] of statuses.tasks(name)) if (task >= tasks.length) statuses.removeTask(name, task)
    await this.#startTasks(name, tasks, chosen, signal)
  }

  /**
   * Which tasks are to start though their configurations are as before: those whose restart was asked for, and after a pause all
   * but those that had failed.
   */
  #chooseTasks(name: string, { configs, isPaused }: StartedTasks): readonly number[] {
    const restarted = this.#toRestart.get(name)
    const failed = this.#options.storage.statuses.tasks(name).filter(([, { state }]) => state === 'FAILED')
    const failedNumbers = new Set(failed.map(([task]) => task))
    return [...configs.keys()].filter((task) => restarted?.has(task) === true || (isPaused && !failedNumbers.has(task)))
  }

  /** Says that nobody runs the tasks, but of those in the state `except`. */
  #unassign(name: string, tasks: readonly number[], except: TaskState): void {
    const states = new Map(this.#options.storage.statuses.tasks(name).map(([task, { state }]) => [task, state]))
    for (const task of tasks) if (states.get(task) !== except) this.#putTask(name, task, 'UNASSIGNED')
  }

  #taskConfigs(config: ConfigMap): readonly ConfigMap[] {
    const className = config['connector.class'] ?? ''
    const plugin = this.#options.plugins.source(className)
    if (plugin === null) throw runtimeErrors.CLASS_UNKNOWN({ className, kind: 'connector' })
    const configs = plugin.createConnector().taskConfigs(config, Number(config['tasks.max'] ?? 1))
    return configs.map((each) => ({ ...each, 'task.class': plugin.taskClassName }))
  }

  /** Starts the chosen ones of the connector's tasks, which do not run. */
  async #startTasks(
    name: string,
    configs: readonly ConfigMap[],
    chosen: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    const { storage, logger } = this.#options
    this.#unassign(name, chosen, 'UNASSIGNED')
    await storage.readOffsetsToEnd(signal)
    throwIfStopped(signal)
    this.#started.set(name, { configs, isPaused: false })
    this.#toRestart.delete(name)
    try {
      const storedOffsets = storage.offsets.offsets(name)
      for (const taskNumber of chosen) {
        const config = present(configs[taskNumber], 'a task of the connector')
        this.#runner.startTask({ connectorName: name, taskNumber, config, storedOffsets })
      }
    } catch (error) {
      logger.error(`The tasks of connector ${name} could not be started`, { error: toError(error) })
      for (const task of chosen) this.#putTask(name, task, 'FAILED', formatTrace(error))
    }
  }

  onStarted(connector: string, task: number): void {
    this.#putTask(connector, task, 'RUNNING')
  }

  onTopic(connector: string, task: number, topic: string): void {
    const { storage, clock, topicTracking } = this.#options
    if (!topicTracking.isEnabled) return
    if (storage.configs.get(connector) !== null) storage.statuses.putTopic(connector, task, topic, clock.now())
  }

  /** What tasks write to from now on is noted again. */
  resetTopics(name: string): void {
    this.#options.storage.statuses.removeTopics(name)
    this.#runner.forgetTopics(name)
  }

  onFailed(connector: string, task: number, trace: string): void {
    this.#putTask(connector, task, 'FAILED', trace)
  }

  #putConnector(name: string, state: ConnectorState, trace: string | null = null): void {
    this.#options.storage.statuses.putConnector(name, this.#status(name, state, trace))
  }

  #putTask(name: string, task: number, state: TaskState, trace: string | null = null): void {
    const { configs, statuses } = this.#options.storage
    // A report of a task whose connector was deleted meanwhile must not bring its status back.
    if (configs.get(name) !== null) statuses.putTask(name, task, this.#status(name, state, trace))
  }

  #status<S extends ConnectorState>(name: string, state: S, trace: string | null): StatusRecord<S> {
    const { plugins, storage, workerId } = this.#options
    const className = storage.configs.get(name)?.config['connector.class'] ?? ''
    const isNone = state === 'UNASSIGNED' || state === 'RESTARTING'
    const version = isNone ? null : (plugins.source(className)?.version ?? null)
    return { state, trace, worker_id: workerId, generation: GENERATION, version }
  }

  /** Ends all tasks within the limit and says in the statuses that nobody runs them. `reconcile` is not called any more. */
  async stop(limitMs: number): Promise<void> {
    await this.#runner.stop(limitMs)
    const { configs, statuses } = this.#options.storage
    for (const name of configs.names) {
      for (const [task, { state }] of statuses.tasks(name)) {
        if (state === 'RUNNING') this.#putTask(name, task, 'UNASSIGNED')
      }
      if (statuses.connector(name)?.state === 'RUNNING') this.#putConnector(name, 'UNASSIGNED')
    }
    await this.#settleStatuses()
  }

  async #settleStatuses(): Promise<void> {
    const { storage, clock, logger } = this.#options
    try {
      await withTimeout(clock, STATUSES_TIMEOUT_MS, (limit) => doneOr(storage.statuses.settled(), limit))
    } catch {
      logger.warn(
        `The last statuses could not be stored within ${STATUSES_TIMEOUT_MS} ms; the next start corrects them`,
      )
    }
  }
}

interface StartedTasks {
  readonly configs: readonly ConfigMap[]
  /** They were paused since. */
  readonly isPaused: boolean
}

/** As long as all tasks of a worker have together by default when it stops. */
const TASKS_STOP_TIMEOUT_MS = 10_000
/** Statuses only inform: not worth holding up a stop for while the brokers are away. */
const STATUSES_TIMEOUT_MS = 2_000
/** Statuses carry the generation of the group; a worker that is alone has one. */
const GENERATION = 1

function areEqual(a: readonly ConfigMap[], b: readonly ConfigMap[] | null): boolean {
  if (b === null || a.length !== b.length) return false
  return a.every((config, i) => {
    const other = b[i] ?? {}
    const names = Object.keys(config)
    return names.length === Object.keys(other).length && names.every((name) => config[name] === other[name])
  })
}
