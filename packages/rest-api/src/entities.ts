/** The documents of the interface, field by field in the order in which they are written (Kafka Connect 4.3). */

export interface ServerInfo {
  readonly version: string
  readonly commit: string
  readonly kafka_cluster_id: string
}

export interface WorkerStatus {
  readonly status: 'healthy' | 'starting' | 'unhealthy'
  readonly message: string
}

export interface ErrorDocument {
  readonly error_code: number
  readonly message: string | null
}

/** Body of a registration. */
export interface CreateConnectorRequest {
  readonly name: string
  /** Null values are kept: the validation refuses them by name. */
  readonly config: Readonly<Record<string, string | null>>
  readonly initialState: InitialState | null
}

/** States in which a connector can be registered. */
export const initialStates = ['RUNNING', 'PAUSED', 'STOPPED'] as const
export type InitialState = (typeof initialStates)[number]
export type ConnectorType = 'source' | 'sink' | 'unknown'
export type ConnectorState = 'UNASSIGNED' | 'RUNNING' | 'PAUSED' | 'FAILED' | 'RESTARTING' | 'STOPPED'
export type TaskState = Exclude<ConnectorState, 'STOPPED'>

export interface ConnectorTaskId {
  readonly connector: string
  readonly task: number
}

export interface ConnectorInfo {
  readonly name: string
  readonly config: Readonly<Record<string, string>>
  readonly tasks: readonly ConnectorTaskId[]
  readonly type: ConnectorType
}

export interface TaskInfo {
  readonly id: ConnectorTaskId
  readonly config: Readonly<Record<string, string>>
}

export interface ConnectorStatus {
  readonly state: ConnectorState
  readonly worker_id: string
  readonly version: string | null
  /** Only where there is one. */
  readonly trace?: string
}

export interface TaskStatus {
  readonly id: number
  readonly state: TaskState
  readonly worker_id: string
  readonly version: string | null
  readonly trace?: string
}

export interface ConnectorStateInfo {
  readonly name: string
  readonly connector: ConnectorStatus
  readonly tasks: readonly TaskStatus[]
  readonly type: ConnectorType
}

/** A connector in the answer of `GET /connectors?expand=…`: what was asked for. */
export interface ExpandedConnector {
  readonly info?: ConnectorInfo
  readonly status?: ConnectorStateInfo
}

/** A value in an offset. Whole numbers beyond 2^53 are bigint in the service, and numbers in JSON. */
export type OffsetValue = string | number | bigint | boolean | null

/** Topics that a connector has written to, under its name. */
export type ConnectorTopics = Readonly<Record<string, { readonly topics: readonly string[] }>>

export interface ConnectorOffset {
  readonly partition: Readonly<Record<string, OffsetValue>>
  readonly offset: Readonly<Record<string, OffsetValue>>
}

export interface ConnectorOffsets {
  readonly offsets: readonly ConnectorOffset[]
}

/** What was done, in a sentence. */
export interface Message {
  readonly message: string
}

export interface PluginInfo {
  readonly class: string
  readonly type: 'source' | 'sink' | 'converter' | 'header_converter' | 'transformation' | 'predicate'
  readonly version?: string
}

/** A property that a plug-in defines (Kafka's ConfigKey). */
export interface ConfigKeyInfo {
  readonly name: string
  readonly type: 'BOOLEAN' | 'STRING' | 'INT' | 'SHORT' | 'LONG' | 'DOUBLE' | 'LIST' | 'CLASS' | 'PASSWORD'
  readonly required: boolean
  readonly default_value: string | null
  readonly importance: 'HIGH' | 'MEDIUM' | 'LOW'
  readonly documentation: string
  readonly group: string | null
  /** From 1; -1 without a group. */
  readonly order_in_group: number
  readonly width: 'NONE' | 'SHORT' | 'MEDIUM' | 'LONG'
  readonly display_name: string
  readonly dependents: readonly string[]
}

export interface ConfigValueInfo {
  readonly name: string
  /** Null when there is none or it cannot be read. A password is `[hidden]`, a reference stands for what it refers to. */
  readonly value: string | null
  readonly recommended_values: readonly string[]
  readonly errors: readonly string[]
  readonly visible: boolean
}

export interface ConfigInfo {
  /** Null: nobody defines it, and it is refused. */
  readonly definition: ConfigKeyInfo | null
  readonly value: ConfigValueInfo
}

/** What a validation found. */
export interface ConfigInfos {
  /** The class, as the configuration names it. */
  readonly name: string
  readonly error_count: number
  readonly groups: readonly string[]
  readonly configs: readonly ConfigInfo[]
}

/** What speaks against a configuration that is valid. Kafka Connect has no such thing. */
export interface ConfigWarning {
  readonly property: string
  readonly message: string
}

/** The level of a logger, by log4j's names. */
export interface LoggerLevel {
  readonly level: string
  /** In ms since 1970; null when it was never changed. */
  readonly last_modified: number | null
}
