import type { ConfigMap, TaskSignal, TaskSnapshot } from '@tributary/connect-api'
import type * as api from '@tributary/rest-api'
import type { LogLevelName } from '@tributary/support'
import type { GroupView } from '../group/group-view.ts'
import type { InternalRequest } from '../session-key/request-signature.ts'
import type { GroupAccess } from './group-access.ts'
import { HerderError } from './herder-error.ts'
import type { TasksHealth } from './task-health.ts'
import type { AlteredOffset, Herder, NullableConfig, PutConfigResult, RestartOptions } from './herder.ts'

/**
 * The herder of a worker in a group. Only the leader makes changes: on another worker they fail with `not leader` or
 * `not owner`, and the REST interface forwards the request. During a rebalance they wait for its end.
 *
 * Each worker executes all other requests itself: reads, from its copy of the topics, also during a rebalance; and
 * requests that only write a record that all workers follow, such as a pause.
 */
export class GroupHerder implements Herder {
  readonly #herder: Herder
  readonly #group: GroupView
  readonly #access: GroupAccess

  constructor(herder: Herder, group: GroupView, access: GroupAccess) {
    this.#herder = herder
    this.#group = group
    this.#access = access
  }

  catchUp(signal: AbortSignal): Promise<void> {
    return this.#group.catchUp(signal)
  }

  createConnector(request: api.CreateConnectorRequest): Promise<api.ConnectorInfo> {
    return this.#access.asLeader(() => this.#herder.createConnector(request))
  }

  putConnectorConfig(name: string, config: NullableConfig): Promise<PutConfigResult> {
    return this.#access.asLeader(() => this.#herder.putConnectorConfig(name, config))
  }

  patchConnectorConfig(name: string, patch: NullableConfig): Promise<api.ConnectorInfo> {
    return this.#access.asLeader(() => this.#herder.patchConnectorConfig(name, patch))
  }

  deleteConnector(name: string): Promise<void> {
    return this.#access.asLeader(() => this.#herder.deleteConnector(name))
  }

  stopConnector(name: string): Promise<void> {
    return this.#access.asLeader(() => this.#herder.stopConnector(name))
  }

  async restartConnectorAndTasks(name: string, options: RestartOptions): Promise<api.ConnectorStateInfo> {
    if (await this.#hasConnector(name)) {
      return this.#access.asLeader(() => this.#herder.restartConnectorAndTasks(name, options))
    }
    // The herder would ask for the leader first.
    throw new HerderError({ tag: 'unknown connector', connector: name, request: 'restart' })
  }

  alterOffsets(name: string, offsets: readonly AlteredOffset[]): Promise<api.Message> {
    return this.#access.asLeader(() => this.#herder.alterOffsets(name, offsets))
  }

  resetOffsets(name: string): Promise<api.Message> {
    return this.#access.asLeader(() => this.#herder.resetOffsets(name))
  }

  async restartConnector(name: string): Promise<void> {
    const restart = (): Promise<void> => this.#herder.restartConnector(name)
    return (await this.#hasConnector(name)) ? this.#access.asOwnerOfConnector(name, restart) : restart()
  }

  async restartTask(name: string, task: number): Promise<void> {
    const restart = (): Promise<void> => this.#herder.restartTask(name, task)
    const isKnown = await this.#access.isKnown(
      () =>
        this.#herder.connectorNames().includes(name) && this.#herder.taskInfos(name).some(({ id }) => id.task === task),
    )
    return isKnown ? this.#access.asOwnerOfTask(name, task, restart) : restart()
  }

  /** A restart of what does not exist has no worker that runs it: each worker answers that itself, at any time. */
  #hasConnector(name: string): Promise<boolean> {
    return this.#access.isKnown(() => this.#herder.connectorNames().includes(name))
  }

  /** Checks the signature first: an unsigned request is neither executed nor forwarded. */
  requireSigned(request: InternalRequest): void {
    this.#herder.requireSigned(request)
  }

  putTaskConfigs(name: string, configs: readonly ConfigMap[]): Promise<void> {
    return this.#access.asLeader(() => this.#herder.putTaskConfigs(name, configs))
  }

  fenceZombies(name: string): Promise<void> {
    return this.#access.asLeader(() => this.#herder.fenceZombies(name))
  }

  sign(body: Buffer): Readonly<Record<string, string>> {
    return this.#herder.sign(body)
  }

  pauseConnector(name: string): Promise<void> {
    return this.#herder.pauseConnector(name)
  }

  resumeConnector(name: string): Promise<void> {
    return this.#herder.resumeConnector(name)
  }

  setClusterLoggerLevel(name: string, level: LogLevelName): Promise<void> {
    return this.#herder.setClusterLoggerLevel(name, level)
  }

  serverInfo(): api.ServerInfo {
    return this.#herder.serverInfo()
  }

  health(): api.WorkerStatus {
    return this.#herder.health()
  }

  connectorNames(): readonly string[] {
    return this.#herder.connectorNames()
  }

  connectorInfo(name: string): api.ConnectorInfo {
    return this.#herder.connectorInfo(name)
  }

  connectorConfig(name: string): Readonly<Record<string, string>> {
    return this.#herder.connectorConfig(name)
  }

  connectorStatus(name: string): api.ConnectorStateInfo {
    return this.#herder.connectorStatus(name)
  }

  tasksHealth(name: string): TasksHealth {
    return this.#herder.tasksHealth(name)
  }

  taskInfos(name: string): readonly api.TaskInfo[] {
    return this.#herder.taskInfos(name)
  }

  taskStatus(name: string, task: number): api.TaskStatus {
    return this.#herder.taskStatus(name, task)
  }

  plugins(connectorsOnly: boolean): Promise<readonly api.PluginInfo[]> {
    return this.#herder.plugins(connectorsOnly)
  }

  pluginConfig(className: string): Promise<readonly api.ConfigKeyInfo[]> {
    return this.#herder.pluginConfig(className)
  }

  validateConfig(config: NullableConfig): Promise<api.ConfigInfos> {
    return this.#herder.validateConfig(config)
  }

  configWarnings(config: NullableConfig): Promise<readonly api.ConfigWarning[]> {
    return this.#herder.configWarnings(config)
  }

  listSourceTables(config: NullableConfig): Promise<api.SourceTables> {
    return this.#herder.listSourceTables(config)
  }

  connectorTopics(name: string): api.ConnectorTopics {
    return this.#herder.connectorTopics(name)
  }

  resetTopics(name: string): void {
    this.#herder.resetTopics(name)
  }

  connectorOffsets(name: string): Promise<api.ConnectorOffsets> {
    return this.#herder.connectorOffsets(name)
  }

  loggers(): Readonly<Record<string, api.LoggerLevel>> {
    return this.#herder.loggers()
  }

  logger(name: string): api.LoggerLevel {
    return this.#herder.logger(name)
  }

  setLoggerLevel(name: string, level: LogLevelName): readonly string[] {
    return this.#herder.setLoggerLevel(name, level)
  }

  requireRunner(name: string): void {
    this.#access.requireRunner(name, this.#herder.taskInfos(name).length > 0)
  }

  startVerification(name: string, request: api.StartVerificationRequest): Promise<api.Verification> {
    return this.#access.asRunner(
      () => this.requireRunner(name),
      () => this.#herder.startVerification(name, request),
    )
  }

  snapshot(name: string): Promise<TaskSnapshot | null> {
    return this.#herder.snapshot(name)
  }

  sendSignal(name: string, signal: TaskSignal): Promise<api.AcceptedSignal> {
    return this.#access.asRunner(
      () => this.requireRunner(name),
      () => this.#herder.sendSignal(name, signal),
    )
  }

  async verifications(name: string): Promise<readonly api.Verification[]> {
    const own = await this.#herder.verifications(name)
    // Those that it has started stay with a worker when the task moves.
    if (own.length === 0) this.requireRunner(name)
    return own
  }

  verification(name: string, id: string): Promise<api.Verification> {
    return this.#ofVerification(name, () => this.#herder.verification(name, id))
  }

  deleteVerification(name: string, id: string): Promise<void> {
    return this.#ofVerification(name, () => this.#herder.deleteVerification(name, id))
  }

  /** A comparison that this worker does not know may be one of the worker that runs the task. */
  async #ofVerification<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof HerderError && error.problem.tag === 'unknown verification') this.requireRunner(name)
      throw error
    }
  }
}
