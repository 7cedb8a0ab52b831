import type { ConfigMap, TaskSignal, TaskSnapshot } from '@tributary/connect-api'
import type {
  AcceptedSignal,
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
  SourceTables,
  StartVerificationRequest,
  TaskInfo,
  TaskStatus,
  Verification,
  WorkerStatus,
} from '@tributary/rest-api'
import type { LogLevelName } from '@tributary/support'
import type { TasksHealth } from './task-health.ts'
import type { InternalRequest } from '../session-key/request-signature.ts'

/** A configuration as a client sends it. The validation refuses nulls by name. */
export type NullableConfig = Readonly<Record<string, string | null>>

export interface RestartOptions {
  /** Restarts the tasks too, not only the connector itself. */
  readonly includeTasks: boolean
  /** Restarts only what has failed. */
  readonly onlyFailed: boolean
}

export interface AlteredOffset {
  readonly partition: ConnectorOffset['partition']
  /** Null removes the stored offset of the partition. */
  readonly offset: ConnectorOffset['offset'] | null
}

export interface PutConfigResult {
  /** Whether the request created the connector. */
  readonly isNew: boolean
  readonly info: ConnectorInfo
}

/**
 * Manages the connectors of a worker group: everything that the REST interface sees of the runtime. Reads are answered
 * from memory and never wait for a broker, except those of offsets. Writes resolve when the change is stored; the
 * status shows when it has taken effect. Refusals are errors of the class HerderError; each method names its problems.
 *
 * In a group of several workers, a method that changes something may also fail with `rebalancing`, `not leader` or
 * `not owner`: before it has changed anything, so that the request can be sent to the right worker.
 */
export interface Herder {
  serverInfo(): ServerInfo
  health(): WorkerStatus
  connectorNames(): readonly string[]
  /** @throws unknown connector */
  connectorInfo(name: string): ConnectorInfo
  /** @throws unknown connector */
  connectorConfig(name: string): Readonly<Record<string, string>>
  /** @throws no connector status, until one is reported */
  connectorStatus(name: string): ConnectorStateInfo
  /** The problems of a connector and its tasks; none for an unknown connector. */
  tasksHealth(name: string): TasksHealth
  /** @throws unknown connector */
  taskInfos(name: string): readonly TaskInfo[]
  /** @throws no task status */
  taskStatus(name: string, task: number): TaskStatus
  plugins(connectorsOnly: boolean): Promise<readonly PluginInfo[]>
  /**
   * The properties that a connector plug-in defines.
   *
   * @throws unknown plugin
   */
  pluginConfig(className: string): Promise<readonly ConfigKeyInfo[]>
  /**
   * Checks a configuration; the result contains every error.
   *
   * @throws no connector class, or unknown connector class
   */
  validateConfig(config: NullableConfig): Promise<ConfigInfos>
  /** @throws connector already exists, or invalid configuration */
  createConnector(request: CreateConnectorRequest): Promise<ConnectorInfo>
  /**
   * Creates the connector or replaces its configuration. Tasks whose configurations change with it are restarted.
   *
   * @throws invalid configuration
   */
  putConnectorConfig(name: string, config: NullableConfig): Promise<PutConfigResult>
  /**
   * Changes some properties of a connector's configuration (KIP-477): a value of null removes the property. Then does
   * what `putConnectorConfig` does with the whole configuration.
   *
   * @throws unknown connector, or invalid configuration
   */
  patchConnectorConfig(name: string, patch: NullableConfig): Promise<ConnectorInfo>
  /** @throws unknown connector */
  deleteConnector(name: string): Promise<void>
  /** @throws unknown connector */
  pauseConnector(name: string): Promise<void>
  /**
   * Starts a paused or stopped connector.
   *
   * @throws unknown connector
   */
  resumeConnector(name: string): Promise<void>
  /**
   * Removes the tasks; configuration and offsets stay.
   *
   * @throws unknown connector
   */
  stopConnector(name: string): Promise<void>
  /**
   * Restarts the connector itself. Its tasks are restarted only if their configurations change with it. Resolves when
   * the restart is queued.
   *
   * @throws unknown connector
   */
  restartConnector(name: string): Promise<void>
  /**
   * Restarts what the options name, and returns the status in which that is RESTARTING.
   *
   * @throws unknown connector, or no connector status
   */
  restartConnectorAndTasks(name: string, options: RestartOptions): Promise<ConnectorStateInfo>
  /**
   * Resolves when the restart is queued.
   *
   * @throws unknown connector, or unknown task
   */
  restartTask(name: string, task: number): Promise<void>
  /**
   * The topics that the connector has written to since its creation or the last reset.
   *
   * @throws topic tracking disabled
   */
  connectorTopics(name: string): ConnectorTopics
  /**
   * Forgets the topics. Those that the connector writes to from now on are recorded again.
   *
   * @throws topic tracking disabled, or topic reset disabled
   */
  resetTopics(name: string): void
  /**
   * The offsets that are stored when the method is called.
   *
   * @throws unknown connector
   */
  connectorOffsets(name: string): Promise<ConnectorOffsets>
  /**
   * Stores offsets for a stopped connector.
   *
   * @throws unknown connector, or connector not stopped
   */
  alterOffsets(name: string, offsets: readonly AlteredOffset[]): Promise<Message>
  /**
   * Removes all stored offsets of a stopped connector.
   *
   * @throws unknown connector, or connector not stopped
   */
  resetOffsets(name: string): Promise<Message>
  /** Warnings about a configuration in which `validateConfig` finds no error. Queries the database again. */
  configWarnings(config: NullableConfig): Promise<readonly ConfigWarning[]>
  /** The tables that the server of a configuration lists for its user. @throws validation failed */
  listSourceTables(config: NullableConfig): Promise<SourceTables>
  /** The loggers of this worker, by name. */
  loggers(): Readonly<Record<string, LoggerLevel>>
  /** @throws unknown logger */
  logger(name: string): LoggerLevel
  /** Sets the level of a logger and those below it on this worker. Returns the names of the changed loggers. */
  setLoggerLevel(name: string, level: LogLevelName): readonly string[]
  /** Sets the level on all workers of the group. */
  setClusterLoggerLevel(name: string, level: LogLevelName): Promise<void>
  /**
   * Returns when this worker runs the connector's tasks, and knows what they report; also when it is alone.
   *
   * @throws unknown connector, not leader, not owner
   */
  requireRunner(name: string): void
  /**
   * Starts a comparison of a connector's tables with their topics, on the worker that runs the connector's task. Its
   * result is in the later documents.
   *
   * @throws unknown connector, verification running, or too many verifications
   */
  startVerification(name: string, request: StartVerificationRequest): Promise<Verification>
  /** The comparisons that this worker keeps, the latest first. @throws unknown connector */
  verifications(name: string): Promise<readonly Verification[]>
  /** @throws unknown verification */
  verification(name: string, id: string): Promise<Verification>
  /**
   * Cancels a comparison that runs, or forgets one that has ended.
   *
   * @throws unknown verification
   */
  deleteVerification(name: string, id: string): Promise<void>
  /** How far the snapshot of the task on this worker is; null: its run has taken none. @throws unknown connector */
  snapshot(name: string): Promise<TaskSnapshot | null>
  /**
   * Sends a signal to the connector's task, on the worker that runs it. Resolves when its effect is stored.
   *
   * @throws unknown connector, invalid signal, signal refused, or signal not stored
   */
  sendSignal(name: string, signal: TaskSignal): Promise<AcceptedSignal>
  /** Resolves when this worker has applied all records that the config topic had before the call. */
  catchUp(signal: AbortSignal): Promise<void>
  /**
   * Another worker of the group must have signed a request for its own purposes.
   *
   * @throws signature missing, signature algorithm refused, no session key, or signature invalid
   */
  requireSigned(request: InternalRequest): void
  /** The headers that sign a body for the other workers; empty before the group has a session key. */
  sign(body: Buffer): Readonly<Record<string, string>>
  /**
   * Stores the task configurations that another worker has computed.
   *
   * @throws unknown connector
   */
  putTaskConfigs(name: string, configs: readonly ConfigMap[]): Promise<void>
  /**
   * Makes sure that no task of an earlier generation writes any more.
   *
   * @throws unknown connector, fencing not supported
   */
  fenceZombies(name: string): Promise<void>
}
