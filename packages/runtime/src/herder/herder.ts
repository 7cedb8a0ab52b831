import type {
  ConfigInfos,
  ConfigKeyInfo,
  ConfigWarning,
  ConnectorInfo,
  ConnectorOffset,
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

/** A configuration as a client sends it. The validation refuses nulls by name. */
export type NullableConfig = Readonly<Record<string, string | null>>

export interface RestartOptions {
  /** The tasks, too, and not only the connector itself. */
  readonly includeTasks: boolean
  /** Of these only what has failed. */
  readonly onlyFailed: boolean
}

export interface AlteredOffset {
  readonly partition: ConnectorOffset['partition']
  /** Null removes what is stored for the partition. */
  readonly offset: ConnectorOffset['offset'] | null
}

export interface PutConfigResult {
  /** False: it was there and was changed. */
  readonly isNew: boolean
  readonly info: ConnectorInfo
}

/**
 * Looks after the connectors of a worker group: what the REST interface talks to, and all that it sees of the runtime.
 * Reads are answered from memory and never wait for a broker; writes resolve when the change is stored.
 */
export interface Herder {
  serverInfo(): ServerInfo
  health(): WorkerStatus
  connectorNames(): readonly string[]
  /** 404 when unknown. */
  connectorInfo(name: string): ConnectorInfo
  /** 404 when unknown. */
  connectorConfig(name: string): Readonly<Record<string, string>>
  /** 404 while nothing has reported a status. */
  connectorStatus(name: string): ConnectorStateInfo
  /** 404 when unknown. */
  taskInfos(name: string): readonly TaskInfo[]
  /** 404 when unknown. */
  taskStatus(name: string, task: number): TaskStatus
  plugins(connectorsOnly: boolean): readonly PluginInfo[]
  /** What a connector plug-in defines. 404 when unknown. */
  pluginConfig(className: string): readonly ConfigKeyInfo[]
  /** What is wrong with a configuration is in the result. 400 when it names no class, or an unknown one. */
  validateConfig(config: NullableConfig): Promise<ConfigInfos>
  /** 409 when it exists, 400 when the configuration is invalid. Resolves when the registration is stored. */
  createConnector(request: CreateConnectorRequest): Promise<ConnectorInfo>
  /**
   * Registers a connector with that configuration, or gives it to the one that is there. 400 when it is invalid. Resolves when it
   * is stored; tasks whose configurations change with it are then started again.
   */
  putConnectorConfig(name: string, config: NullableConfig): Promise<PutConfigResult>
  /**
   * Changes single properties of a connector's configuration; null removes one (KIP-477). 404 when unknown, 400 when the outcome is
   * invalid. Resolves as `putConnectorConfig` does.
   */
  patchConnectorConfig(name: string, patch: NullableConfig): Promise<ConnectorInfo>
  /** 404 when unknown. */
  deleteConnector(name: string): Promise<void>
  /** 404 when unknown. Resolves when the wish is stored; the status tells when it is so. */
  pauseConnector(name: string): Promise<void>
  /** Also from being stopped. 404 when unknown. Resolves when the wish is stored. */
  resumeConnector(name: string): Promise<void>
  /** Takes the tasks away; configuration and offsets stay. 404 when unknown. Resolves when the wish is stored. */
  stopConnector(name: string): Promise<void>
  /**
   * Starts the connector itself again, and its tasks when their configurations follow otherwise from it now; no other tasks. 404
   * when unknown. Resolves when it is noted.
   */
  restartConnector(name: string): Promise<void>
  /**
   * Starts again what the options name, and says what that is: it is RESTARTING in the status that this gives. 404 when unknown.
   * Resolves when it is noted.
   */
  restartConnectorAndTasks(name: string, options: RestartOptions): Promise<ConnectorStateInfo>
  /** 404 when the connector or its task is unknown. Resolves when it is noted. */
  restartTask(name: string, task: number): Promise<void>
  /** Topics that the connector has written to since it was created or these were reset. 403 when they are not noted. */
  connectorTopics(name: string): ConnectorTopics
  /** Forgets them; those written to from now on are noted again. 403 when the worker does not allow it. */
  resetTopics(name: string): void
  /** What is stored now. 404 when unknown. */
  connectorOffsets(name: string): Promise<ConnectorOffsets>
  /** Stores offsets for a connector that is stopped. 404 when unknown, 400 when not stopped. Resolves when they are stored. */
  alterOffsets(name: string, offsets: readonly AlteredOffset[]): Promise<Message>
  /** Removes all stored offsets of a stopped connector. 404 when unknown, 400 when not stopped. Resolves when it is stored. */
  resetOffsets(name: string): Promise<Message>
  /** What speaks against a configuration in which `validateConfig` finds no error. Asks the source once more, for another answer. */
  configWarnings(config: NullableConfig): Promise<readonly ConfigWarning[]>
  /** The loggers of this worker, by name. */
  loggers(): Readonly<Record<string, LoggerLevel>>
  /** 404 when unknown. */
  logger(name: string): LoggerLevel
  /** On this worker, of that logger and those below it. Gives the names that it changed. */
  setLoggerLevel(name: string, level: LogLevelName): readonly string[]
  /** On all workers of the group. Resolves when it is stored. */
  setClusterLoggerLevel(name: string, level: LogLevelName): Promise<void>
}
