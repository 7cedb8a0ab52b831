import type { Clock, Logger } from '@tributary/support'
import type { ConfigDef, ConfigValues } from './config/config-def.ts'
import type { Schema } from './data.ts'
import type { OffsetDocument, SourceOffset, SourcePartition, SourceRecord } from './record.ts'

export type ConfigMap = Readonly<Record<string, string>>

/** What one poll gives. */
export interface PollResult {
  readonly records: readonly SourceRecord[]
  /**
   * Everything of the partition up to this offset is in `records` of this and earlier polls, or gave no record. Lets a
   * stored offset move while nothing that is captured changes. Null: no more is known than the records say.
   */
  readonly progress: SourceProgress | null
  /** The next poll gives records at once: nobody needs to hurry with these, and fewer, larger requests can be made of both. */
  readonly hasMore?: boolean
  /** Schemas that records to come will have, since the source has changed: told as soon as that is known, for whoever prepares for them. */
  readonly announced?: readonly SchemaAnnouncement[]
}

/** The schemas are put together when they are asked for, which is left undone where nobody prepares for them. */
export interface SchemaAnnouncement {
  /** What has changed, such as a table: a later announcement of it takes the place of an earlier one. */
  readonly source: string
  readonly schemas: () => RecordSchemas
}

/** What the records of a topic look like. */
export interface RecordSchemas {
  readonly topic: string
  /** Null: keys without a schema, or no keys. */
  readonly keySchema: Schema | null
  readonly valueSchema: Schema | null
}

export interface SourceProgress {
  readonly partition: SourcePartition
  readonly offset: SourceOffset
  /** The offset is to be stored as soon as it can be: what lies before it is expensive to repeat. */
  readonly isMilestone?: boolean
}

export interface SourceTaskContext {
  readonly config: ConfigMap
  /** What the worker says for connectors that do not say it themselves, under the names of the connector's properties. */
  readonly workerDefaults: ConfigMap
  readonly connectorName: string
  /** Number of the task, from 0. */
  readonly taskNumber: number
  readonly logger: Logger
  readonly clock: Clock
  /** The stored offset of a partition, or null: read when the task was started. */
  storedOffset(partition: SourcePartition): OffsetDocument | null
}

/**
 * Reads a source. All methods are called by one loop, one after the other, in the task's own thread:
 * start, then poll again and again, stop at the end (also after a start or poll that threw).
 */
export interface SourceTask {
  /** Rejects with StoppedError soon after the signal fires. */
  start(context: SourceTaskContext, signal: AbortSignal): Promise<void>
  /**
   * The next records in order; an empty list when there were none for a while, so that the caller can do other work.
   * Rejects with StoppedError soon after the signal fires; after a retriable error it is called again, after any other the
   * task ends. Values of the records may refer to buffers of the source: they are valid until the next poll.
   */
  poll(signal: AbortSignal): Promise<PollResult>
  /** Every record up to the stored offset is safe in its topic. */
  commit?(): Promise<void>
  stop(): Promise<void>
}

export interface ValidationContext {
  /** The connector goes on from what it has stored. */
  readonly hasStoredOffsets: boolean
  readonly signal: AbortSignal
}

/** With what schemas are put together beforehand. */
export interface CaptureContext {
  /** As a task has them. */
  readonly workerDefaults: ConfigMap
  readonly signal: AbortSignal
}

/** Answers for a connector's configuration; makes no connection that outlives a call. */
export interface SourceConnector {
  config(): ConfigDef
  /**
   * Checks that need no outside world, of a configuration whatever its values are. Gives messages by property, also by those that
   * the definition does not have.
   */
  refusals?(config: ConfigMap): Readonly<Record<string, readonly string[]>>
  /**
   * Checks that need more than one property or the outside world; called with values that are valid one by one.
   * Gives messages by property. `config` is the configuration as given.
   */
  validate(
    values: ConfigValues,
    config: ConfigMap,
    context: ValidationContext,
  ): Promise<Readonly<Record<string, readonly string[]>>>
  /** What may hurt later, by property; called with a configuration that is valid. */
  warnings?(config: ConfigMap, context: ValidationContext): Promise<Readonly<Record<string, readonly string[]>>>
  /** What it has in common with other connectors, by their names, that it had better not, by property. Asks nobody. */
  conflicts?(config: ConfigMap, others: ReadonlyMap<string, ConfigMap>): Readonly<Record<string, readonly string[]>>
  /**
   * What records would look like, by what the source says now, as far as it can be said soon. Called with a configuration that is valid.
   *
   * Rejects when the source cannot be asked.
   */
  capturedSchemas?(config: ConfigMap, context: CaptureContext): Promise<readonly RecordSchemas[]>
  /** The configurations of the tasks: at most `tasksMax`. */
  taskConfigs(config: ConfigMap, tasksMax: number): readonly ConfigMap[]
}
