import type { ConfigMap, TaskSignal, TaskSnapshot } from '@tributary/connect-api'
import type * as api from '@tributary/rest-api'
import { doneOr, unreachable, type LogLevelName, type LogLevels, type MeterSnapshot } from '@tributary/support'
import { WorkerOffsets } from '../storage/offset-access.ts'
import type { DesiredChange } from '../storage/desired-state.ts'
import type { InternalRequest } from '../session-key/request-signature.ts'
import type { ConfigChecks } from './config-checks.ts'
import { ConfigRequests } from './config-requests.ts'
import { ConnectorRequests } from './connector-requests.ts'
import { ConnectorViews } from './connector-views.ts'
import type { AlteredOffset, Herder, NullableConfig, PutConfigResult, RestartOptions } from './herder.ts'
import { requireLeaderOf } from './group-access.ts'
import { InternalRequests, type InternalRequestsOptions, type InternalSettings } from './internal-requests.ts'
import { LoggerRequests } from './logger-requests.ts'
import { OffsetRequests } from './offset-requests.ts'
import type { Notifications } from '../worker/notifications.ts'
import type { StartCounts } from '../worker/start-counts.ts'
import type { TaskMeasurement } from '../worker/task-measurements.ts'
import type { ConnectorTaskRestarts } from './reconcile/connector-condition.ts'
import { HerderWork } from './reconcile/herder-work.ts'
import type { Fencing } from './reconcile/reconciler-context.ts'
import { Reconcilers, type ReconcilersOptions } from './reconcile/reconcilers.ts'
import { tasksHealth, type TasksHealth } from './task-health.ts'
import { SignalRequests } from './signal-requests.ts'
import { TopicRequests } from './topic-requests.ts'
import { TopicWait } from './topic-wait.ts'
import { VerificationRequests } from './verifications/verification-requests.ts'

export interface HerderOptions extends ReconcilersOptions {
  readonly serverInfo: api.ServerInfo
  readonly configChecks: ConfigChecks
  readonly internal: InternalSettings
  /** For tasks of other workers. Null or absent: requests for it are refused. */
  readonly leaderFencing?: Fencing | null
  /** The levels of this process, task threads included. */
  readonly logLevels: LogLevels
  /** Entry file of the threads of comparisons. */
  readonly threadUrl: URL
  /** With references. */
  readonly workerProperties: ConfigMap
}

/** What the worker measures of its connectors and tasks. */
export interface WorkerMeasurement {
  readonly connectorStarts: StartCounts
  readonly taskStarts: StartCounts
  readonly tasks: readonly TaskMeasurement[]
  readonly taskRestarts: readonly ConnectorTaskRestarts[]
}

/**
 * Manages the connectors that the group has assigned to this worker, and answers requests about all of them (Connect's
 * DistributedHerder without the group's protocol, which is `WorkerMembership`'s).
 *
 *     request ─▶ config topic ─▶ desired state ─▶ reconciler of the connector ─▶ tasks ─▶ statuses
 *
 * A request only writes what is desired, and is answered when that is stored. The config store reports the change,
 * whichever worker made it, and the connector's reconciler brings its tasks in line with it. Requests that change a
 * connector and its reconciler's turns share one queue per connector: a creation and a deletion at the same time give
 * one of the two outcomes, and a connector that is slow to stop delays no other. Reads are answered from the stores in
 * memory.
 */
export class DistributedHerder implements Herder {
  readonly #options: HerderOptions
  readonly #stop = new AbortController()
  readonly #views: ConnectorViews
  readonly #reconcilers: Reconcilers
  readonly #connectors: ConnectorRequests
  readonly #configs: ConfigRequests
  readonly #offsets: OffsetRequests
  readonly #topics: TopicRequests
  readonly #signals: SignalRequests
  readonly #loggers: LoggerRequests
  readonly #verifications: VerificationRequests
  readonly #internal: InternalRequests
  /** The work that the group distributes among its workers. */
  readonly work: HerderWork

  constructor(options: HerderOptions) {
    const { plugins, storage, clock, assignment } = options
    const stop = this.#stop.signal
    const topicWait = new TopicWait(clock, stop)
    const views = new ConnectorViews(storage, plugins)
    const reconcilers = new Reconcilers(options, stop)
    const configRequests = new ConfigRequests({ ...options, stop })
    this.#options = options
    this.work = new HerderWork({ plugins, storage, reconcilers })
    this.#views = views
    this.#reconcilers = reconcilers
    this.#configs = configRequests
    const requireLeader = (): void => requireLeaderOf(options.internal.group)
    this.#connectors = new ConnectorRequests({
      plugins,
      storage,
      views,
      configRequests,
      reconcilers,
      topicWait,
      requireLeader,
      assignment,
    })
    this.#offsets = new OffsetRequests({
      plugins,
      storage,
      views,
      reconcilers,
      topicWait,
      offsets: options.offsets ?? new WorkerOffsets(storage),
      fencing: options.fencing ?? null,
      group: options.internal.group,
      clock,
    })
    this.#topics = new TopicRequests({ ...options, runner: reconcilers.runner })
    this.#signals = new SignalRequests({ ...options, runner: reconcilers.runner })
    this.#internal = new InternalRequests({
      internal: options.internal,
      configs: storage.configs,
      topicWait,
      fence: this.#fence(options.leaderFencing ?? null),
    })
    this.#verifications = new VerificationRequests({ ...options, views, runner: reconcilers.runner, stop })
    this.#loggers = new LoggerRequests({ ...options, configs: storage.configs, topicWait })
  }

  /** Starts every stored connector. The storage must have been read to its end. */
  async start(signal: AbortSignal): Promise<void> {
    const { configs } = this.#options.storage
    // Restart requests and log levels that were stored before this worker started are not for it, as with Connect.
    configs.listen((change) => this.#onChange(change))
    this.#reconcilers.reporter.removeOrphans()
    for (const name of configs.names) this.#reconcilers.reconcile(name)
    await doneOr(this.#reconcilers.drain(), signal)
    // Loads code for the first connector while the worker is idle: that thread checks it, and then runs its task.
    if (configs.names.length === 0) this.#reconcilers.runner.spawnForFirstTask()
  }

  /** In a turn of the connector, like the fencing before this worker starts a task of it. */
  #fence(fencing: Fencing | null): InternalRequestsOptions['fence'] {
    if (fencing === null) return null
    return (name, signal) => this.#reconcilers.inTurn(name, (stop) => fencing.fence(name, stop), signal)
  }

  #onChange(change: DesiredChange): void {
    switch (change.tag) {
      case 'connector':
        this.#reconcilers.reconcile(change.connector)
        this.work.noteChange()
        return
      case 'tasks':
        // Another worker has the connector and has stored these; some of their tasks may be assigned to this worker.
        if (!this.#options.assignment.isAll) this.#reconcilers.reconcile(change.connector)
        this.work.noteChange()
        return
      case 'restart request':
        return this.#reconcilers.restart(change.request)
      case 'logger level':
        this.#loggers.set(change.logger, change.level)
        return
      case 'session key':
      case 'none':
      case 'unreadable':
        return
      default:
        unreachable(change)
    }
  }

  serverInfo(): api.ServerInfo {
    return this.#options.serverInfo
  }

  health(): api.WorkerStatus {
    const { failure } = this.#options.storage
    if (failure !== null) return { status: 'unhealthy', message: failure.message }
    return { status: 'healthy', message: 'Worker has completed startup and is ready to handle requests.' }
  }

  connectorNames(): readonly string[] {
    return this.#views.names
  }

  connectorInfo(name: string): api.ConnectorInfo {
    return this.#views.info(name)
  }

  connectorConfig(name: string): ConfigMap {
    return this.#views.desired(name).config
  }

  tasksHealth(name: string): TasksHealth {
    const isReported = this.#options.storage.statuses.connector(name) !== null
    return tasksHealth(isReported ? this.#views.status(name) : null, this.#reconcilers.health(name))
  }

  connectorStatus(name: string): api.ConnectorStateInfo {
    return this.#views.status(name)
  }

  taskInfos(name: string): readonly api.TaskInfo[] {
    return this.#views.taskInfos(name)
  }

  taskStatus(name: string, task: number): api.TaskStatus {
    return this.#views.taskStatus(name, task)
  }

  async plugins(connectorsOnly: boolean): Promise<readonly api.PluginInfo[]> {
    if (!connectorsOnly) await this.#options.plugins.loadAll()
    return this.#options.plugins.list(connectorsOnly)
  }

  pluginConfig(className: string): Promise<readonly api.ConfigKeyInfo[]> {
    return this.#configs.definition(className)
  }

  validateConfig(config: NullableConfig): Promise<api.ConfigInfos> {
    return this.#configs.validate(config)
  }

  configWarnings(config: NullableConfig): Promise<readonly api.ConfigWarning[]> {
    return this.#configs.warnings(config)
  }

  async listSourceTables(config: NullableConfig): Promise<api.SourceTables> {
    const { tables, isComplete } = await this.#configs.tables(config)
    return { tables, is_complete: isComplete }
  }

  createConnector(request: api.CreateConnectorRequest): Promise<api.ConnectorInfo> {
    return this.#connectors.create(request)
  }

  putConnectorConfig(name: string, config: NullableConfig): Promise<PutConfigResult> {
    return this.#connectors.putConfig(name, config)
  }

  patchConnectorConfig(name: string, patch: NullableConfig): Promise<api.ConnectorInfo> {
    return this.#connectors.patchConfig(name, patch)
  }

  deleteConnector(name: string): Promise<void> {
    return this.#connectors.delete(name)
  }

  pauseConnector(name: string): Promise<void> {
    return this.#connectors.setTargetState(name, 'PAUSED')
  }

  resumeConnector(name: string): Promise<void> {
    return this.#connectors.setTargetState(name, 'STARTED')
  }

  stopConnector(name: string): Promise<void> {
    return this.#connectors.setTargetState(name, 'STOPPED')
  }

  restartConnector(name: string): Promise<void> {
    return this.#connectors.restart(name)
  }

  restartConnectorAndTasks(name: string, options: RestartOptions): Promise<api.ConnectorStateInfo> {
    return this.#connectors.restartWithTasks(name, options)
  }

  restartTask(name: string, task: number): Promise<void> {
    return this.#connectors.restartTask(name, task)
  }

  connectorTopics(name: string): api.ConnectorTopics {
    return this.#topics.read(name)
  }

  resetTopics(name: string): void {
    this.#topics.reset(name)
  }

  connectorOffsets(name: string): Promise<api.ConnectorOffsets> {
    return this.#offsets.read(name)
  }

  alterOffsets(name: string, offsets: readonly AlteredOffset[]): Promise<api.Message> {
    return this.#offsets.alter(name, offsets)
  }

  resetOffsets(name: string): Promise<api.Message> {
    return this.#offsets.reset(name)
  }

  loggers(): Readonly<Record<string, api.LoggerLevel>> {
    return this.#loggers.all()
  }

  logger(name: string): api.LoggerLevel {
    return this.#loggers.get(name)
  }

  setLoggerLevel(name: string, level: LogLevelName): readonly string[] {
    return this.#loggers.set(name, level)
  }

  setClusterLoggerLevel(name: string, level: LogLevelName): Promise<void> {
    return this.#loggers.setOnAllWorkers(name, level)
  }

  /**
   * Whether this worker reports the connector: it is assigned to it, or to nobody, and then the leader does. A sum over
   * all workers counts each connector once.
   */
  reportsConnector(name: string): boolean {
    const { assignment, internal } = this.#options
    if (assignment.hasConnector(name)) return true
    return internal.group.isLeader && internal.group.connectorOwnerUrl(name) === null
  }

  /** The last numbers of tasks, which report them every two seconds. */
  measured(): readonly TaskMeasurement[] {
    return this.#reconcilers.runner.measured()
  }

  /** Waits for the numbers of tasks, at most that long. */
  async measure(limitMs: number): Promise<WorkerMeasurement> {
    const { runner, reporter } = this.#reconcilers
    const tasks = await runner.measure(limitMs)
    return {
      connectorStarts: reporter.startCounts,
      taskStarts: runner.startCounts,
      tasks,
      taskRestarts: this.#reconcilers.taskRestarts,
    }
  }

  requireRunner(name: string): void {
    this.#views.desired(name)
  }

  async startVerification(name: string, request: api.StartVerificationRequest): Promise<api.Verification> {
    return this.#verifications.start(name, request)
  }

  async verifications(name: string): Promise<readonly api.Verification[]> {
    return this.#verifications.list(name)
  }

  async verification(name: string, id: string): Promise<api.Verification> {
    return this.#verifications.get(name, id)
  }

  deleteVerification(name: string, id: string): Promise<void> {
    return this.#verifications.remove(name, id)
  }

  snapshot(name: string): Promise<TaskSnapshot | null> {
    return this.#signals.snapshot(name)
  }

  sendSignal(name: string, signal: TaskSignal): Promise<api.AcceptedSignal> {
    return this.#signals.send(name, signal)
  }

  catchUp(signal: AbortSignal): Promise<void> {
    return this.#options.internal.group.catchUp(signal)
  }

  requireSigned(request: InternalRequest): void {
    this.#internal.requireSigned(request)
  }

  sign(body: Buffer): Readonly<Record<string, string>> {
    return this.#internal.sign(body)
  }

  putTaskConfigs(name: string, configs: readonly ConfigMap[]): Promise<void> {
    return this.#internal.putTaskConfigs(name, configs)
  }

  fenceZombies(name: string): Promise<void> {
    return this.#internal.fence(name)
  }

  /** The last metrics of a running task; null if it has not reported any. */
  taskMetrics(connector: string, task: number): MeterSnapshot | null {
    return this.#reconcilers.runner.taskMetrics(connector, task)
  }

  /** What happens to the snapshots of this worker's tasks. */
  get notifications(): Notifications {
    return this.#reconcilers.runner.notifications
  }

  /** Stops all tasks and reports them as UNASSIGNED. */
  async stop(limitMs: number): Promise<void> {
    this.#stop.abort()
    await Promise.all([this.#reconcilers.stop(limitMs), this.#options.configChecks.stop(), this.#verifications.stop()])
  }
}
