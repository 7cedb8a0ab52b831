import { type SnapshotLimits, snapshotLimits } from './limit-keys.ts'
import type { ConfigMap, ConfigValues } from '@tributary/connect-api'
import {
  type ChangesToSkip,
  type NameAdjustment,
  type RecordFormatName,
  RegexList,
  type TopicNaming,
} from '@tributary/connector-kit'
import { ColumnRules } from '../columns/column-rules.ts'
import { type ColumnConversions, ColumnConverters } from '../converters/column-converters.ts'
import { postProcessors } from '../post-processors/post-processors.ts'
import type { ReselectOptions } from '../post-processors/reselect-options.ts'
import type { TlsMode } from '@tributary/mysql'
import { unavailableValue } from '../values/unavailable-value.ts'
import type {
  BigintUnsignedMode,
  BinaryMode,
  DecimalMode,
  TimePrecisionMode,
  ValueOptions,
} from '../values/value-options.ts'
import { type NotificationConfig, notificationConfig } from './notification-keys.ts'
import { type SignalConfig, signalConfig } from './signal-keys.ts'
import { snapshotOverrides } from './snapshot-overrides.ts'
import { configuredSnapshot, type NewTables, newTables, type RowCountOrder } from './snapshot-keys.ts'
import { capturedListsOf } from './captured-lists.ts'
import { GtidSources } from './gtid-sources.ts'
import { type SnapshotMode, snapshotModeOf } from './snapshot-mode.ts'
import { TableFilter } from './table-filter.ts'
import { topicNaming } from './topic-strategies.ts'

/** A connector's configuration, validated and typed. */
export interface ConnectorConfig {
  readonly topicPrefix: string
  readonly naming: TopicNaming
  readonly schemaNameAdjustment: NameAdjustment
  readonly fieldNameAdjustment: NameAdjustment
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly serverId: number
  readonly tlsMode: TlsMode
  /** Whether a password may be encrypted with a key that the server presents on an unencrypted connection. */
  readonly allowsPublicKeyRetrieval: boolean
  readonly trustStorePath: string | null
  readonly keyStorePath: string | null
  readonly keyStorePassword: string | null
  readonly connectTimeoutMs: number
  readonly keepAliveIntervalMs: number
  readonly initialStatements: readonly string[]
  readonly filter: TableFilter
  /** The lists of `filter`, for offsets; null: they are too long. */
  readonly capturedLists: string | null
  readonly values: ValueOptions
  readonly columns: ColumnRules
  /** `converters` */
  readonly converters: ColumnConversions
  /** `post.processors` */
  readonly postProcessors: readonly ReselectOptions[]
  /** `include.schema.comments` */
  readonly includesComments: boolean
  /** `include.query` */
  readonly includesQuery: boolean
  /** Changes that yield no event. */
  readonly skips: ChangesToSkip
  readonly snapshotMode: SnapshotMode
  readonly snapshotDelayMs: number
  readonly streamingDelayMs: number
  /** `snapshot.new.tables` */
  readonly newTables: NewTables
  readonly snapshotOrder: RowCountOrder
  /** Statements that select the rows of a table, by its name `database.table`. */
  readonly snapshotOverrides: ReadonlyMap<string, string>
  /** Connections that read rows. */
  readonly snapshotThreads: number
  readonly snapshotLocking: 'minimal' | 'extended' | 'none'
  readonly snapshotLockTimeoutMs: number
  /** What snapshots may cost the source; null: no limits. */
  readonly snapshotLimits: SnapshotLimits | null
  /** Signals and incremental snapshots. */
  readonly signals: SignalConfig
  readonly notifications: NotificationConfig
  readonly historyTopic: string
  readonly historyBootstrapServers: string
  /** The schema history and the schema change topic have captured tables only, not all of their databases. */
  readonly recordsOnlyCapturedTables: boolean
  /** `schema.history.internal.skip.unparseable.ddl` */
  readonly skipsUnparseable: boolean
  readonly includesSchemaChanges: boolean
  readonly tombstonesOnDelete: boolean
  /** `topic.transaction`; null: no transaction metadata. */
  readonly transactionTopic: string | null
  /** Null: no heartbeats. */
  readonly heartbeat: HeartbeatConfig | null
  /** Null: the format of the existing offset, else that of the worker. */
  readonly recordFormat: RecordFormatName | null
  readonly failureHandling: FailureMode
  /** For rows of tables whose definitions are not known. */
  readonly unknownTableHandling: FailureMode
  /** `binlog.spool.dir` and `binlog.spool.max.bytes`; null: nothing is kept. */
  readonly spool: SpoolConfig | null
  /** Null: changes of all servers become events. */
  readonly gtidSources: GtidSources | null
  /** Maximum number of records of one poll. */
  readonly batchRowsMax: number
  readonly pollIntervalMs: number
  /** All properties as given, for clients that read their own. */
  readonly properties: ConfigMap
}

export interface SpoolConfig {
  readonly folder: string
  readonly bytesMax: number
}

export type FailureMode = 'fail' | 'warn' | 'skip' | 'ignore'

export interface HeartbeatConfig {
  readonly intervalMs: number
  readonly topic: string
  /** A statement that runs before each heartbeat; null: none. */
  readonly actionQuery: string | null
}

/** The MariaDB connector's spellings of the TLS modes, and MySQL's own. */
const TLS_MODES: Readonly<Record<string, TlsMode>> = {
  disabled: 'disabled',
  disable: 'disabled',
  preferred: 'preferred',
  required: 'required',
  trust: 'required',
  verify_ca: 'verify_ca',
  'verify-ca': 'verify_ca',
  verify_identity: 'verify_identity',
  'verify-full': 'verify_identity',
}

export function typedConfig(values: ConfigValues, properties: ConfigMap): ConnectorConfig {
  const naming = topicNaming(values)
  const signals = signalConfig(values)
  return {
    topicPrefix: values.string('topic.prefix'),
    naming,
    transactionTopic: values.boolean('provide.transaction.metadata')
      ? naming.transactionTopic(values.string('topic.transaction'))
      : null,
    schemaNameAdjustment: lower(values, 'schema.name.adjustment.mode') as NameAdjustment,
    fieldNameAdjustment: fieldNameAdjustment(values, properties),
    ...connectionConfig(values),
    allowsPublicKeyRetrieval: allowsPublicKeyRetrieval(properties),
    capturedLists: capturedListsOf(values),
    filter: new TableFilter({
      databaseInclude: listOf(values, 'database.include.list'),
      databaseExclude: listOf(values, 'database.exclude.list'),
      tableInclude: listOf(values, 'table.include.list'),
      tableExclude: listOf(values, 'table.exclude.list'),
      snapshotInclude: listOf(values, 'snapshot.include.collection.list'),
      ignoresBuiltIn: values.boolean('table.ignore.builtin'),
      signalTable: signals.channels.has('source') ? signals.table : null,
    }),
    values: valueOptions(values, properties),
    columns: new ColumnRules(properties),
    converters: new ColumnConverters(properties),
    postProcessors: postProcessors(properties),
    includesComments: values.boolean('include.schema.comments'),
    includesQuery: values.boolean('include.query'),
    skips: { operations: skippedOperations(values), unchangedRows: values.boolean('skip.messages.without.change') },
    snapshotMode: snapshotModeOf(lower(values, 'snapshot.mode'), configuredSnapshot(values)),
    snapshotDelayMs: values.integer('snapshot.delay.ms'),
    newTables: newTables(values),
    streamingDelayMs: values.integer('streaming.delay.ms'),
    snapshotOrder: lower(values, 'snapshot.tables.order.by.row.count') as RowCountOrder,
    snapshotOverrides: snapshotOverrides(properties),
    snapshotThreads: Math.min(values.integer('snapshot.max.threads'), CONNECTIONS_MAX),
    snapshotLocking: lower(values, 'snapshot.locking.mode') as ConnectorConfig['snapshotLocking'],
    snapshotLockTimeoutMs: values.integer('snapshot.lock.timeout.ms'),
    snapshotLimits: snapshotLimits(values),
    signals,
    historyTopic: values.string('schema.history.internal.kafka.topic'),
    historyBootstrapServers: values.string('schema.history.internal.kafka.bootstrap.servers'),
    recordsOnlyCapturedTables: values.boolean('schema.history.internal.store.only.captured.tables.ddl'),
    skipsUnparseable: values.boolean('schema.history.internal.skip.unparseable.ddl'),
    includesSchemaChanges: values.boolean('include.schema.changes'),
    tombstonesOnDelete: values.boolean('tombstones.on.delete'),
    heartbeat: heartbeatConfig(values, naming),
    notifications: notificationConfig(values),
    recordFormat: (values.optionalString('source.struct.version')?.toLowerCase() ?? null) as RecordFormatName | null,
    ...failureModes(values, properties),
    spool: spoolConfig(values),
    gtidSources: gtidSources(values),
    batchRowsMax: Math.min(values.integer('max.batch.size'), POLL_RECORDS_MAX),
    pollIntervalMs: Math.min(values.integer('poll.interval.ms'), POLL_INTERVAL_MS_MAX),
    properties,
  }
}

/** Like Debezium: the default is `avro` when the connector configures an Avro converter. */
function fieldNameAdjustment(values: ConfigValues, properties: ConfigMap): NameAdjustment {
  const given = lower(values, 'field.name.adjustment.mode') as NameAdjustment
  const isAvro = ['key.converter', 'value.converter'].some((name) => AVRO_CONVERTERS.has(properties[name] ?? ''))
  return given === 'none' && isAvro ? 'avro' : given
}

const AVRO_CONVERTERS: ReadonlySet<string> = new Set([
  'io.confluent.connect.avro.AvroConverter',
  'io.apicurio.registry.utils.converter.AvroConverter',
  'avro',
])

/** Longer waits would delay a stop; Debezium has the limit too. */
const POLL_INTERVAL_MS_MAX = 5_000

/** The part of a configuration that connections to the server need. */
export type ConnectionConfig = Pick<
  ConnectorConfig,
  | 'host'
  | 'port'
  | 'user'
  | 'password'
  | 'serverId'
  | 'tlsMode'
  | 'trustStorePath'
  | 'keyStorePath'
  | 'keyStorePassword'
  | 'connectTimeoutMs'
  | 'keepAliveIntervalMs'
  | 'initialStatements'
>

export function connectionConfig(values: ConfigValues): ConnectionConfig {
  return {
    host: values.string('database.hostname'),
    port: values.integer('database.port'),
    user: values.string('database.user'),
    password: values.optionalString('database.password') ?? '',
    serverId: values.integer('database.server.id'),
    tlsMode: TLS_MODES[lower(values, 'database.ssl.mode')] ?? 'preferred',
    trustStorePath: values.optionalString('database.ssl.truststore'),
    keyStorePath: values.optionalString('database.ssl.keystore'),
    keyStorePassword: values.optionalString('database.ssl.keystore.password'),
    connectTimeoutMs: values.integer('connect.timeout.ms'),
    keepAliveIntervalMs: values.integer('connect.keep.alive.interval.ms'),
    initialStatements: splitStatements(values.optionalString('database.initial.statements') ?? ''),
  }
}

export function allowsPublicKeyRetrieval(properties: ConfigMap): boolean {
  return properties['driver.allowPublicKeyRetrieval']?.trim().toLowerCase() === 'true'
}

function valueOptions(values: ConfigValues, properties: ConfigMap): ValueOptions {
  return {
    decimal: lower(values, 'decimal.handling.mode') as DecimalMode,
    timePrecision: lower(values, 'time.precision.mode') as TimePrecisionMode,
    bigintUnsigned: lower(values, 'bigint.unsigned.handling.mode') as BigintUnsignedMode,
    binary: lower(values, 'binary.handling.mode') as BinaryMode,
    adjustsTwoDigitYears: values.boolean('enable.time.adjuster'),
    unavailable: unavailableValue(properties),
  }
}

/** Rows of unknown tables are handled as other events that cannot be processed, unless the property is set. */
function failureModes(
  values: ConfigValues,
  properties: ConfigMap,
): Pick<ConnectorConfig, 'failureHandling' | 'unknownTableHandling'> {
  const failureHandling = lower(values, 'event.processing.failure.handling.mode') as FailureMode
  const isSet = (properties['inconsistent.schema.handling.mode'] ?? '').trim() !== ''
  const unknown = lower(values, 'inconsistent.schema.handling.mode') as FailureMode
  return { failureHandling, unknownTableHandling: isSet ? unknown : failureHandling }
}

function spoolConfig(values: ConfigValues): SpoolConfig | null {
  const folder = values.optionalString('binlog.spool.dir') ?? ''
  return folder === '' ? null : { folder, bytesMax: values.integer('binlog.spool.max.bytes') }
}

function gtidSources(values: ConfigValues): GtidSources | null {
  const includes = listOf(values, 'gtid.source.includes')
  const excludes = listOf(values, 'gtid.source.excludes')
  if (!values.boolean('gtid.source.filter.dml.events') || (includes.isEmpty && excludes.isEmpty)) return null
  return new GtidSources(includes, excludes)
}

function heartbeatConfig(values: ConfigValues, naming: TopicNaming): HeartbeatConfig | null {
  const intervalMs = values.integer('heartbeat.interval.ms')
  if (intervalMs === 0) return null
  const name = values.optionalString('topic.heartbeat.name')?.trim() ?? ''
  const actionQuery = values.optionalString('heartbeat.action.query')
  return {
    intervalMs,
    topic: name === '' ? naming.heartbeatTopic(values.string('topic.heartbeat.prefix')) : name,
    actionQuery: actionQuery === null || actionQuery.trim() === '' ? null : actionQuery,
  }
}

/** Operations are those of events, and `t` for a truncated table; `none` skips nothing. */
function skippedOperations(values: ConfigValues): ReadonlySet<string> {
  const listed = values.string('skipped.operations').split(',')
  return new Set(listed.map((operation) => operation.trim().toLowerCase()))
}

function lower(values: ConfigValues, name: string): string {
  return values.string(name).toLowerCase()
}

function listOf(values: ConfigValues, name: string): RegexList {
  return new RegexList(values.optionalString(name) ?? '')
}

/** Semicolons separate statements; a double semicolon is a literal one. */
function splitStatements(text: string): readonly string[] {
  return text
    .split(/(?<!;);(?!;)/)
    .map((statement) => statement.replaceAll(';;', ';').trim())
    .filter((statement) => statement !== '')
}

/** Far more than the one thread that converts can keep up with; each connection buffers up to 1 MiB of rows. */
const CONNECTIONS_MAX = 32

/**
 * Limit for the records of one poll, even if `max.batch.size` is larger: they are garbage as soon as they are sent, and
 * the fewer live at a time, the fewer the collector copies. A poll costs a microsecond. Measured:
 * bench/journal/2026-11-21-drain.md.
 */
const POLL_RECORDS_MAX = 256
