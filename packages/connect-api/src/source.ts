import type { Clock, Logger, Meter } from '@tributary/support'
import type { ConfigDef, ConfigValues } from './config/config-def.ts'
import type { PropertyEffect } from './config/property-effect.ts'
import type { Schema } from './data.ts'
import type { LossProbe } from './loss.ts'
import type { OffsetDocument, SourceOffset, SourcePartition, SourceRecord } from './record.ts'
import type { TaskNotification } from './task-notification.ts'
import type { SignalResult, TaskSignal, TaskSnapshot } from './task-snapshot.ts'

export type ConfigMap = Readonly<Record<string, string>>

/** The result of one poll. */
export interface PollResult {
  readonly records: readonly SourceRecord[]
  /**
   * An offset up to which the source has read: everything of the partition before it is in the records of this and
   * earlier polls, or yields no record. Lets the stored offset move while no captured table changes. Null: the source
   * has read nothing after the last record.
   */
  readonly progress: SourceProgress | null
  /** True: the next poll returns records at once, so the producer may wait for them and send fewer, larger requests. */
  readonly hasMore?: boolean
  /**
   * True: the last record is in the middle of a transaction of the source, whose other records are in later polls.
   * Counts with `transaction.boundary=connector`.
   */
  readonly isInTransaction?: boolean
  /** Schemas of later records, reported as soon as the source has changed. The task checks them with the registry. */
  readonly announced?: readonly SchemaAnnouncement[]
}

/** Builds its schemas only when they are used: without a registry they are not used. */
export interface SchemaAnnouncement {
  /** What has changed, such as a table. A later announcement with the same source replaces an earlier one. */
  readonly source: string
  readonly schemas: () => RecordSchemas
}

/** The schemas of the records of a topic. */
export interface RecordSchemas {
  readonly topic: string
  /** Null: keys without a schema, or no keys. */
  readonly keySchema: Schema | null
  readonly valueSchema: Schema | null
}

export interface SourceProgress {
  readonly partition: SourcePartition
  readonly offset: SourceOffset
  /** True: store the offset as soon as possible, because what precedes it is expensive to repeat. */
  readonly isMilestone?: boolean
}

/** The input of `lossProbe` in addition to the configuration. */
export interface ProbeContext {
  readonly logger: Logger
  readonly clock: Clock
}

/** Counts of a task's records since its start. In an outage some are pending, and `completed` does not change. */
export interface DeliveryProgress {
  /** Records in flight, and acknowledged ones that follow them; during a commit, all records of the transaction. */
  readonly pending: number
  /** Records acknowledged together with all before them; a committed transaction adds its records again. */
  readonly completed: number
  /** Whether the last attempt to store offsets failed. */
  readonly isCommitFailing: boolean
}

export interface SourceTaskContext {
  readonly config: ConfigMap
  /** The worker's defaults for properties that the connector does not set, under the connector's property names. */
  readonly workerDefaults: ConfigMap
  readonly connectorName: string
  /** Number of the task, from 0. */
  readonly taskNumber: number
  readonly logger: Logger
  readonly clock: Clock
  /** For counts of the task's own. Default: nothing is counted. */
  readonly meter?: Meter
  /** Bytes of the records of this task in flight, and their limit. Default: unknown. */
  readonly queue?: () => { readonly bytes: number; readonly bytesMax: number }
  /** The delivery progress of this task. Default: unknown. */
  readonly delivered?: () => DeliveryProgress
  /**
   * False while the worker is not certain to be the only one that runs this task. A task that writes anything besides
   * its records, such as a history of its own, must not do so then; its records wait by themselves. Default: always
   * true.
   */
  readonly mayWrite?: () => boolean
  /**
   * True: transactions in Kafka are to end where transactions of the source end. A source should end a poll there, if a
   * transaction is not too large. Default: false.
   */
  readonly prefersWholeTransactions?: boolean
  /**
   * True: the task runs beside another program that runs this connector. It reads the source and its stored state, and
   * writes nothing anywhere: no history, no statements. It fails where it could continue only by writing, or with a
   * snapshot. Default: false.
   */
  readonly isRehearsal?: boolean
  /**
   * True: the task runs without Kafka, for one process. Of what a source keeps in topics of its own there is nothing, and
   * nothing is kept: it begins as if its history had been lost. Default: false.
   */
  readonly keepsNothing?: boolean
  /**
   * True: each value of a column is a struct of two fields: the value, and the literal (`literal`) that the language of
   * the source writes for it. Default: false.
   */
  readonly addsLiterals?: boolean
  /** Reports what happened to a snapshot, for people who watch the connector. Default: nobody does. */
  readonly notify?: (notification: TaskNotification) => void
  /** The stored offset of a partition, as read when the task started; null when there is none. */
  storedOffset(partition: SourcePartition): OffsetDocument | null
}

/**
 * Reads a source. One loop in the task's own thread calls the methods, one after the other: `start`, then `poll`
 * repeatedly, then `stop`, also after a `start` or `poll` that threw.
 */
export interface SourceTask {
  /** Rejects with StoppedError soon after the signal fires. */
  start(context: SourceTaskContext, signal: AbortSignal): Promise<void>
  /**
   * Returns the next records in order, or an empty list when there were none for a while, so that the caller can do
   * other work. Rejects with StoppedError soon after the signal fires. After a retriable error the task polls again,
   * after any other it fails. Values of the records may refer to buffers of the source: they are valid until the next
   * poll.
   */
  poll(signal: AbortSignal): Promise<PollResult>
  /**
   * Called before offsets are sent to be stored. If the process ends, or the brokers do not answer, before `commit`
   * follows, they are stored or not.
   */
  committing?(offsets: readonly SourceOffset[]): void
  /** Called after offsets were stored: the brokers have acknowledged every record up to them. */
  commit?(offsets: readonly SourceOffset[]): Promise<void>
  /**
   * Whether a start with this stored offset continues after it, instead of with a snapshot from its beginning. Absent:
   * it always does.
   */
  continuesAfter?(offset: SourceOffset): boolean
  /**
   * True: a start now would leave out changes that this run would have read, such as those after its stored offset. So
   * the worker does not restart the task after a failure. Absent: false.
   */
  readonly leavesOutAtStart?: boolean
  /** How far its snapshot is; null: this run has taken none. May be called during a poll. Absent: it never takes one. */
  snapshot?(): TaskSnapshot | null
  /**
   * Runs a signal, in one of the next polls. May be called during a poll. Resolves when an offset is stored that includes
   * its effect, so a restart does not lose it. Absent: the task has no signals.
   */
  signal?(signal: TaskSignal): Promise<SignalResult>
  stop(): Promise<void>
}

/** A table that a connector could capture. */
export interface SourceTable {
  readonly database: string
  readonly table: string
  /** As the server estimates them; null: it does not. */
  readonly rows: number | null
  readonly bytes: number | null
}

/** In the order of their names. */
export interface SourceTables {
  readonly tables: readonly SourceTable[]
  /** False: there are more. */
  readonly isComplete: boolean
}

export interface ValidationContext {
  /** True: the connector continues from its stored offsets. */
  readonly hasStoredOffsets: boolean
  readonly signal: AbortSignal
}

/** The input of `capturedSchemas` in addition to the configuration. */
export interface CaptureContext {
  /** Those of `SourceTaskContext`. */
  readonly workerDefaults: ConfigMap
  readonly signal: AbortSignal
}

/** Checks a connector's configuration. No method leaves a connection open. */
export interface SourceConnector {
  config(): ConfigDef
  /** The server that the other methods ask, as in “while asking the database at db:3306”. Null when it is unknown. */
  server?(config: ConfigMap): string | null
  /**
   * Checks any configuration, valid or not, without connecting to anything. Returns messages by property; the
   * definition need not contain that property.
   */
  refusals?(config: ConfigMap): Readonly<Record<string, readonly string[]>>
  /**
   * How properties of this configuration work that the connector reads without defining them. By property; connects to
   * nothing.
   */
  effects?(config: ConfigMap): Readonly<Record<string, PropertyEffect>>
  /**
   * Checks that need several properties or a server. Called when each value is valid by itself. Returns messages by
   * property. `config` is the configuration as the user wrote it.
   */
  validate(
    values: ConfigValues,
    config: ConfigMap,
    context: ValidationContext,
  ): Promise<Readonly<Record<string, readonly string[]>>>
  /** Returns warnings about later problems, by property. Called with a valid configuration. */
  warnings?(config: ConfigMap, context: ValidationContext): Promise<Readonly<Record<string, readonly string[]>>>
  /**
   * Returns warnings, by property, about settings that should differ from those of the other connectors. `others`:
   * their configurations by name. Connects to nothing.
   */
  conflicts?(config: ConfigMap, others: ReadonlyMap<string, ConfigMap>): Readonly<Record<string, readonly string[]>>
  /**
   * Returns the schemas that records of the current tables would have, as far as they can be determined quickly. Called
   * with a valid configuration.
   *
   * Rejects when the source cannot be read.
   */
  capturedSchemas?(config: ConfigMap, context: CaptureContext): Promise<readonly RecordSchemas[]>
  /**
   * Returns the tables that the server lists for the user of a configuration, which may lack everything that a login
   * does not need. Rejects when the server cannot be asked.
   */
  tables?(config: ConfigMap, signal: AbortSignal): Promise<SourceTables>
  /** Why the connector could not continue from an offset that a user wants to store; null when it could. */
  refuseOffset?(offset: OffsetDocument): string | null
  /**
   * Creates what measures how long the source keeps what the connector needs, whatever its tasks do. Connects to
   * nothing.
   *
   * @throws when the configuration cannot be read
   */
  lossProbe?(config: ConfigMap, context: ProbeContext): LossProbe
  /**
   * Whether the connector, with this configuration, continues exactly after the last stored offset, so that a
   * transactional producer makes its delivery exactly once. Absent: unknown, and a connector that requires it is
   * refused.
   */
  exactlyOnceSupport?(config: ConfigMap): boolean
  /** Whether its polls report where transactions of the source end (`PollResult.isInTransaction`). Absent: no. */
  canDefineTransactionBoundaries?(config: ConfigMap): boolean
  /** Returns the configurations of the tasks, at most `tasksMax`. */
  taskConfigs(config: ConfigMap, tasksMax: number): readonly ConfigMap[]
}
