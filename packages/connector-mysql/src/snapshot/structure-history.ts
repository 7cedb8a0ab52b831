import type { SourcePartition, SourceRecord } from '@tributary/connect-api'
import type { HistoryRecord, RecordFormat, SchemaChangeRecords, SchemaHistory } from '@tributary/connector-kit'
import { StoppedError, withTimeout, type Clock } from '@tributary/support'
import { connectorErrors } from '../errors.ts'
import type { StreamPosition } from '../offset/stream-position.ts'
import type { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { type SchemaChange, tableNames } from '../schema/schema-change.ts'
import type { SourceInfo } from '../source/source-info.ts'
import type { StructureStatement } from './snapshot-structure.ts'

export interface StructureHistoryOptions {
  readonly interpreter: DdlInterpreter
  readonly history: SchemaHistory
  readonly format: RecordFormat<SourceInfo>
  /** Null: `include.schema.changes` is off. */
  readonly schemaChanges: SchemaChangeRecords | null
  readonly partition: SourcePartition
  /** Records of a batch. */
  readonly batchRowsMax: number
  readonly clock: Clock
}

/** A change with what is needed of it later: there may be tens of thousands. */
type StructureChange = Pick<SchemaChange, 'databaseName' | 'ddl' | 'changes'>

/** Takes over the structure that was read: into the table model, the schema history, and the schema change topic. */
export class StructureHistory {
  readonly #options: StructureHistoryOptions
  /** What the schema change topic is still to be told. */
  #untold: readonly StructureChange[] = []

  constructor(options: StructureHistoryOptions) {
    this.#options = options
  }

  /** Builds the table model of the statements and stores them in the history, at that position. */
  async persist(structure: readonly StructureStatement[], offset: StreamPosition, signal: AbortSignal): Promise<void> {
    const { interpreter, schemaChanges } = this.#options
    const events: StructureChange[] = []
    for (const { database, sql } of structure) {
      const outcome = interpreter.interpret(sql, { database })
      if (outcome.error !== null) throw outcome.error
      for (const { databaseName, ddl, changes } of outcome.events) events.push({ databaseName, ddl, changes })
    }
    for (let from = 0; from < events.length; from += HISTORY_BATCH_RECORDS) {
      await this.#append(events.slice(from, from + HISTORY_BATCH_RECORDS), offset, signal)
    }
    this.#untold = schemaChanges === null ? [] : events
  }

  /** The database waits for this: a broker that does not answer must not hold it up for long. */
  async #append(events: readonly StructureChange[], offset: StreamPosition, signal: AbortSignal): Promise<void> {
    const { history, partition, clock } = this.#options
    const position = offset.toDocument()
    const records = events.map(({ databaseName, ddl, changes }): HistoryRecord => ({
      source: partition,
      position,
      timestampMs: clock.now(),
      databaseName,
      ddl,
      changes,
    }))
    try {
      await withTimeout(clock, HISTORY_LIMIT_MS, (limit) => history.append(records, limit), signal)
    } catch (error) {
      if (!(error instanceof StoppedError) || signal.aborted) throw error
      throw connectorErrors.SNAPSHOT_HISTORY_LATE({ seconds: HISTORY_LIMIT_MS / 1000 }, error)
    }
  }

  /**
   * The next records of the schema change topic, a batch: those of 10,000 tables would take more than 100 MB together. Null when
   * all were told.
   */
  nextRecords(offset: StreamPosition): readonly SourceRecord[] | null {
    if (this.#untold.length === 0) return null
    const { batchRowsMax } = this.#options
    const records: SourceRecord[] = []
    for (const change of this.#untold.slice(0, batchRowsMax)) this.#tell(change, offset, records)
    this.#untold = this.#untold.slice(batchRowsMax)
    return records
  }

  #tell(event: StructureChange, offset: StreamPosition, out: SourceRecord[]): void {
    const { schemaChanges, format, clock } = this.#options
    if (schemaChanges === null) return
    const { databaseName, ddl, changes } = event
    const source = format.source({
      timestampSeconds: offset.origin.timestampSeconds,
      timestampMicros: clock.nowMicros(),
      serverId: 0,
      gtid: null,
      file: offset.restart.file,
      position: offset.restart.position,
      row: 0,
      snapshot: 'true',
      threadId: null,
      database: databaseName,
      table: tableNames([event]),
    })
    out.push(schemaChanges.record({ databaseName, ddl, changes, source, offset }))
  }
}

/** As long as writes to the database may wait for the next batch of the schema history. */
const HISTORY_LIMIT_MS = 30_000
/** A second of work at most, with ten columns a table on a slow machine: a limit for all tables would say how many there may be. */
const HISTORY_BATCH_RECORDS = 1_000
