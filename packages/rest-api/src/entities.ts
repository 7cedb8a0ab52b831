/** The documents of the interface. Their fields are in the order of the JSON text (Kafka Connect 4.3). */

export interface ServerInfo {
  readonly version: string
  readonly commit: string
  readonly kafka_cluster_id: string
}

export interface WorkerStatus {
  readonly status: 'healthy' | 'starting' | 'unhealthy'
  readonly message: string
}

/** Answer of `GET /health/live` and `GET /health/ready`. */
export interface ProbeAnswer {
  readonly status: 'live' | 'blocked' | 'ready' | 'starting'
}

export interface ErrorDocument {
  readonly error_code: number
  readonly message: string | null
}

/** Body of a registration. */
export interface CreateConnectorRequest {
  readonly name: string
  /** May contain null values; the validation reports them by property. */
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
  /** Present only after a failure. */
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

/** A connector in the answer to `GET /connectors?expand=…`, with the requested parts. */
export interface ExpandedConnector {
  readonly info?: ConnectorInfo
  readonly status?: ConnectorStateInfo
}

/** A value in an offset. Integers beyond 2^53 are bigint in the service, and numbers in JSON. */
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

/** The result of an operation, in a sentence. */
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
  /** Null if it is not set or cannot be parsed. A password is `[hidden]`; references are not resolved. */
  readonly value: string | null
  readonly recommended_values: readonly string[]
  readonly errors: readonly string[]
  readonly visible: boolean
}

export interface ConfigInfo {
  /** Null for a refused property that neither the runtime nor the plug-in defines. */
  readonly definition: ConfigKeyInfo | null
  readonly value: ConfigValueInfo
}

/** The result of a validation. */
export interface ConfigInfos {
  /** The class name in the configuration. */
  readonly name: string
  readonly error_count: number
  readonly groups: readonly string[]
  readonly configs: readonly ConfigInfo[]
}

/** A table that the server of a configuration lists. */
export interface SourceTable {
  readonly database: string
  readonly table: string
  /** As the server estimates them; null: it does not. */
  readonly rows: number | null
  readonly bytes: number | null
}

/** The tables that a connector could capture, in the order of their names. */
export interface SourceTables {
  readonly tables: readonly SourceTable[]
  /** False: there are more. */
  readonly is_complete: boolean
}

/** A possible problem of a valid configuration. Kafka Connect has no warnings. */
export interface ConfigWarning {
  readonly property: string
  readonly message: string
}

/** The level of a logger, with log4j's names. */
export interface LoggerLevel {
  readonly level: string
  /** In ms since 1970; null if it was never changed. */
  readonly last_modified: number | null
}

/** The body of `POST /connectors/{connector}/verifications`. All members are optional. */
export interface StartVerificationRequest {
  /** Tables to compare, as `database.table`; absent: all that the connector captures. */
  readonly tables?: readonly string[]
  /** Rows that are read per second at most; absent: no limit. */
  readonly rate?: number
}

export type VerificationState = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'

/** A comparison of the tables of a connector with their topics. It is kept in the memory of the worker. */
export interface Verification {
  /** Unique in this worker. */
  readonly id: string
  readonly connector: string
  readonly state: VerificationState
  /** Milliseconds since 1970. */
  readonly started_ms: number
  /** Null while it runs. */
  readonly ended_ms: number | null
  /** Rows per second; null without a limit. */
  readonly rate: number | null
  /** Why it has failed; else null. */
  readonly error: string | null
  /** In the order in which they are compared. Empty until the definitions are read. */
  readonly tables: readonly VerifiedTable[]
}

/**
 * `UNPROVEN`: no difference was found, but for some rows nothing can be proved. `REFUSED`: the table cannot be compared
 * at all, for a reason.
 */
export type VerifiedTableState = 'WAITING' | 'RUNNING' | 'EQUAL' | 'DIFFERENT' | 'UNPROVEN' | 'REFUSED'

/** The comparison of one table. */
export interface VerifiedTable {
  /** `database.table` */
  readonly table: string
  readonly topic: string
  readonly state: VerifiedTableState
  /** What it is doing, why it was refused, or how its result is limited; else null. */
  readonly note: string | null
  /** The server's estimate; null when unknown. */
  readonly rows_estimated: number | null
  readonly rows_read: number
  readonly records_read: number
  /** Where the rows were read: position and GTIDs; null before. Keys that differed were read again later. */
  readonly position: string | null
  readonly rows_equal: number
  readonly missing: number
  readonly extra: number
  readonly different: number
  readonly without_tombstone: number
  /** Differences with keys and fields: the first 100. */
  readonly differences: readonly RowDifference[]
  /** Rows of which nothing can be proved, by reason. */
  readonly unproven: readonly { readonly reason: string; readonly rows: number }[]
  /** Columns that were not compared. */
  readonly excluded_columns: readonly { readonly column: string; readonly reason: string }[]
  readonly duration_ms: number
}

/**
 * `missing`: the table has a row that the topic lacks. `extra`: the topic has a row that the table lacks. `different`:
 * fields differ. `without_tombstone`: the topic has the delete of the key without the tombstone after it.
 */
export interface RowDifference {
  readonly kind: 'missing' | 'extra' | 'different' | 'without_tombstone'
  /** The key by column, as text. */
  readonly key: Readonly<Record<string, string | null>>
  /** The columns that differ, as text of the server. Long texts are shortened around the first difference. */
  readonly fields: readonly FieldDifference[]
  /** The record of the topic that decides; null when the topic has none. */
  readonly partition: number | null
  readonly offset: number | null
}

export interface FieldDifference {
  readonly column: string
  /** Null for NULL. Absent: the table has no such row. */
  readonly table?: string | null
  /** Null for null. Absent: the topic has no such value. */
  readonly topic?: string | null
}

/**
 * How long the database keeps the binlog that a connector still needs: the shortest answer that is certain, and the
 * probable one. Measured by the worker at intervals, whatever the state of the connector.
 */
export interface TimeToLoss {
  /**
   * `ok`; `warning`: one of the times of `binlog.loss.warning.seconds` is reached; `lost`: the server has purged it;
   * `unlimited`: the server never purges by itself; `unknown`: `notes` and `problem` contain the reason.
   */
  readonly status: 'ok' | 'warning' | 'lost' | 'unlimited' | 'unknown'
  /**
   * Until the earliest moment of the purge; 0: it can happen now, or has happened. Null: unlimited, or unknown. With
   * the status `ok`: only `bytes` are limited, and the server has written none for an hour.
   */
  readonly seconds: number | null
  /**
   * Whether `seconds` runs out. False without `seconds`, after the loss, and while the connector has read all complete
   * files and only a limit in time counts: then `seconds` starts anew with each measurement.
   */
  readonly running_out: boolean
  /** Until the probable moment, at the present growth of the binlog. Null: unknown, or not without growth. */
  readonly expected_seconds: number | null
  /** Bytes that the server can still write until then. Null: unknown, or unlimited. */
  readonly bytes: number | null
  /** Binlog files that the server can still begin until then. Null: unknown, or unlimited. */
  readonly files: number | null
  /** The oldest binlog file that the connector needs. */
  readonly needed_file: string | null
  /** Bytes of the binlog after the stored position, and the files that contain them. */
  readonly backlog_bytes: number | null
  readonly backlog_files: number | null
  readonly growth_bytes_per_second: number | null
  /** How long the server keeps a file after its last write; null: no limit in time, or unknown. */
  readonly retention_seconds: number | null
  /** The settings of the server that decide, as in `binlog_expire_logs_seconds=2592000`. */
  readonly retention: readonly string[]
  /** What is uncertain or unknown, in sentences. */
  readonly notes: readonly string[]
  /** What is lost and what to do, or why the last measurement failed; null without a problem. */
  readonly problem: string | null
  /** Of the last successful measurement, in ms since 1970, and seconds since then; null: none has succeeded. */
  readonly measured_at: number | null
  readonly age_seconds: number | null
}

/** A problem of a task or connector, and how it continues. All times are in ms since 1970. */
export interface HealthProblem {
  /** The activity that the running task retries, as in `reading the binlog`; null: the task or connector has failed. */
  readonly activity: string | null
  /** The code of the error in the reference of errors; null: it has none. */
  readonly code: string | null
  readonly message: string
  /** The action that the error recommends; null: unknown. */
  readonly action: string | null
  /**
   * Of the first failure in a row, and of the last one. Null: an earlier run of the worker, or another worker, failed.
   */
  readonly since: number | null
  readonly last_at: number | null
  /** Failures in a row. */
  readonly attempts: number
  /** When the next attempt is due. Null: within seconds if there is an activity; otherwise somebody has to act. */
  readonly next_at: number | null
}

/** The health of a task on a worker. */
export interface TaskHealth {
  readonly id: number
  readonly state: TaskState
  /**
   * `ok`; `starting`; `waiting`: it runs, and retries what fails; `restarting`: it has failed, and the worker starts it
   * again, or has just done so; `failed`: somebody has to act; `paused`; `unknown`: it is not a task of this worker.
   */
  readonly condition: 'ok' | 'starting' | 'waiting' | 'restarting' | 'failed' | 'paused' | 'unknown'
  /** Empty: the task has no problems. The failure of the task is the first one. */
  readonly problems: readonly HealthProblem[]
}

/** What an operator should know of a connector besides its status. */
export interface ConnectorHealth {
  readonly name: string
  /** Why the connector itself could not be started; null: it could. */
  readonly problem: HealthProblem | null
  readonly tasks: readonly TaskHealth[]
  readonly time_to_loss: TimeToLoss
}

/** Events of a table since its task was started, before transformations. */
export interface CountedTable {
  /** `database.table`; `other`: all beyond the first 200. */
  readonly table: string
  /** Rows of the snapshot that became events. */
  readonly read: number
  readonly create: number
  readonly update: number
  readonly delete: number
  readonly truncate: number
  /** Null: the table is not in a snapshot of this run of the task. */
  readonly snapshot: TableSnapshot | null
}

/** How far the snapshot of a table is. */
export interface TableSnapshot {
  readonly rows: number
  /** As the server estimates them; null: it was not asked, or does not know. */
  readonly estimated_rows: number | null
  readonly is_done: boolean
}

/** A snapshot that runs or has ended in this run of the task. */
export interface SnapshotProgress {
  readonly state: 'running' | 'completed' | 'aborted'
  readonly tables: number
  /** Tables whose rows are not all read. */
  readonly tables_remaining: number
  readonly rows: number
  readonly seconds: number
  /** These are as in `RunningSnapshot`. */
  readonly kind: 'initial' | 'blocking' | 'incremental'
  readonly is_paused: boolean
  readonly percent: number | null
  readonly rows_per_second: number
  readonly seconds_left: number | null
  /** It waits, to spare the source: `GET /connectors/{connector}/snapshot` has the reason. */
  readonly is_waiting: boolean
}

/** How far a table of a snapshot is. */
export interface SnapshotTableProgress {
  /** `database.table` */
  readonly table: string
  readonly state: 'waiting' | 'reading' | 'complete'
  /** Rows that this run of the task has read. */
  readonly rows: number
  /** About how many it reads in this run, as the server estimates them; null: unknown. */
  readonly estimated_rows: number | null
  /** From 0 to 100; 100 only when all rows are read. Null: unknown. */
  readonly percent: number | null
  /** Null: unknown, as also when there are more rows than the server has estimated. */
  readonly rows_left: number | null
}

/** How far the snapshot of a connector is. */
export interface RunningSnapshot {
  readonly kind: 'initial' | 'blocking' | 'incremental'
  readonly state: 'running' | 'paused' | 'completed' | 'aborted'
  /** What it waits for, to spare the source; null: it does not wait. */
  readonly waits_for: string | null
  /** In ms since 1970. */
  readonly started_at: number
  readonly seconds: number
  readonly rows: number
  readonly estimated_rows: number | null
  readonly percent: number | null
  /** Of the last half minute; of the whole snapshot when it has ended. */
  readonly rows_per_second: number
  readonly rows_left: number | null
  /** At the present rate; null: unknown. */
  readonly seconds_left: number | null
  readonly tables_total: number
  readonly tables_complete: number
  /** At most 1000: those that are being read, then those that wait, then complete ones. */
  readonly tables: readonly SnapshotTableProgress[]
}

/** The snapshot of a connector, with what its task retries. */
export interface ConnectorSnapshot {
  readonly name: string
  /** Null: this run of the task has taken no snapshot, or no task runs. */
  readonly snapshot: RunningSnapshot | null
  /** Those of the task, as in `ConnectorHealth`. */
  readonly problems: readonly HealthProblem[]
}

/** The body of `POST /connectors/{connector}/signals`, which is Debezium's form of a signal. */
export interface SignalRequest {
  /** A signal with the id of one of the last 16 is not run again. Absent: the worker chooses one. */
  readonly id?: string
  readonly type: string
  /** An object, or its JSON as a text. Absent: none. */
  readonly data?: unknown
}

/** A signal whose effect is stored: a restart does not lose it. */
export interface AcceptedSignal {
  readonly id: string
  readonly type: string
  /** A signal with this id was run before, and this one was not. */
  readonly is_repeated: boolean
}

/** What a connector does with its tables, as its tasks reported it last. */
export interface ConnectorTables {
  readonly name: string
  /** Null: no task runs, or it continues from a stored position. */
  readonly snapshot: SnapshotProgress | null
  readonly tables: readonly CountedTable[]
}
