import type {
  ConfigInfos,
  ConfigKeyInfo,
  ConfigWarning,
  ConnectorInfo,
  ConnectorOffsets,
  ConnectorStateInfo,
  ConnectorTopics,
  CreateConnectorRequest,
  LoggerLevel,
  Message,
  PluginInfo,
  ServerInfo,
  TaskInfo,
  TaskStatus,
  WorkerStatus,
} from '@tributary/rest-api'
import type { LogLevelName } from '@tributary/support'
import {
  RequestError,
  type AlteredOffset,
  type Herder,
  type NullableConfig,
  type PutConfigResult,
  type RestartOptions,
} from './herder.ts'

/**
 * Stands in for the herder while the worker is starting: the REST interface is there at once and `GET /health` says what is
 * waited for; everything else is answered with status 503. (Connect answers 404 to every path until it is up.)
 */
export class StartingHerder implements Herder {
  readonly #serverInfo: ServerInfo
  #herder: Herder | null = null
  #stage: string

  constructor(serverInfo: ServerInfo, stage: string) {
    this.#serverInfo = serverInfo
    this.#stage = stage
  }

  /** What is being done, as a sentence: “Waiting for the brokers at …”. */
  set stage(stage: string) {
    this.#stage = stage
  }

  /** From now on everything goes to the real one. */
  handOver(herder: Herder): void {
    this.#herder = herder
  }

  serverInfo(): ServerInfo {
    return this.#herder?.serverInfo() ?? this.#serverInfo
  }

  health(): WorkerStatus {
    return this.#herder?.health() ?? { status: 'starting', message: `Worker is still starting up. ${this.#stage}` }
  }

  #ready(): Herder {
    if (this.#herder === null) throw new RequestError(503, `Worker is still starting up. ${this.#stage}`)
    return this.#herder
  }

  connectorNames(): readonly string[] {
    return this.#ready().connectorNames()
  }

  connectorInfo(name: string): ConnectorInfo {
    return this.#ready().connectorInfo(name)
  }

  connectorConfig(name: string): Readonly<Record<string, string>> {
    return this.#ready().connectorConfig(name)
  }

  connectorStatus(name: string): ConnectorStateInfo {
    return this.#ready().connectorStatus(name)
  }

  taskInfos(name: string): readonly TaskInfo[] {
    return this.#ready().taskInfos(name)
  }

  taskStatus(name: string, task: number): TaskStatus {
    return this.#ready().taskStatus(name, task)
  }

  plugins(connectorsOnly: boolean): readonly PluginInfo[] {
    return this.#ready().plugins(connectorsOnly)
  }

  pluginConfig(className: string): readonly ConfigKeyInfo[] {
    return this.#ready().pluginConfig(className)
  }

  validateConfig(config: NullableConfig): Promise<ConfigInfos> {
    return this.#ready().validateConfig(config)
  }

  createConnector(request: CreateConnectorRequest): Promise<ConnectorInfo> {
    return this.#ready().createConnector(request)
  }

  putConnectorConfig(name: string, config: NullableConfig): Promise<PutConfigResult> {
    return this.#ready().putConnectorConfig(name, config)
  }

  patchConnectorConfig(name: string, patch: NullableConfig): Promise<ConnectorInfo> {
    return this.#ready().patchConnectorConfig(name, patch)
  }

  deleteConnector(name: string): Promise<void> {
    return this.#ready().deleteConnector(name)
  }

  pauseConnector(name: string): Promise<void> {
    return this.#ready().pauseConnector(name)
  }

  resumeConnector(name: string): Promise<void> {
    return this.#ready().resumeConnector(name)
  }

  stopConnector(name: string): Promise<void> {
    return this.#ready().stopConnector(name)
  }

  restartConnector(name: string): Promise<void> {
    return this.#ready().restartConnector(name)
  }

  restartConnectorAndTasks(name: string, options: RestartOptions): Promise<ConnectorStateInfo> {
    return this.#ready().restartConnectorAndTasks(name, options)
  }

  restartTask(name: string, task: number): Promise<void> {
    return this.#ready().restartTask(name, task)
  }

  connectorTopics(name: string): ConnectorTopics {
    return this.#ready().connectorTopics(name)
  }

  resetTopics(name: string): void {
    this.#ready().resetTopics(name)
  }

  connectorOffsets(name: string): Promise<ConnectorOffsets> {
    return this.#ready().connectorOffsets(name)
  }

  alterOffsets(name: string, offsets: readonly AlteredOffset[]): Promise<Message> {
    return this.#ready().alterOffsets(name, offsets)
  }

  resetOffsets(name: string): Promise<Message> {
    return this.#ready().resetOffsets(name)
  }

  configWarnings(config: NullableConfig): Promise<readonly ConfigWarning[]> {
    return this.#ready().configWarnings(config)
  }

  loggers(): Readonly<Record<string, LoggerLevel>> {
    return this.#ready().loggers()
  }

  logger(name: string): LoggerLevel {
    return this.#ready().logger(name)
  }

  setLoggerLevel(name: string, level: LogLevelName): readonly string[] {
    return this.#ready().setLoggerLevel(name, level)
  }

  setClusterLoggerLevel(name: string, level: LogLevelName): Promise<void> {
    return this.#ready().setClusterLoggerLevel(name, level)
  }
}
