import { NO_HEADERS, type PollResult, type SourceTask, type SourceTaskContext } from '@tributary/connect-api'
import { assert } from '@tributary/support'
import { DataChangeRecords } from '../events/data-change-records.ts'
import { SchemaChangeRecords } from '../events/schema-change-records.ts'
import type { SchemaHistory } from '../history/schema-history.ts'
import { ChangePipeline, type SourceSequence } from '../pipeline/change-pipeline.ts'
import type { ChangeStage, SideSource } from '../pipeline/change.ts'
import { ProgressStage } from '../pipeline/progress-stage.ts'
import { RowsStage } from '../pipeline/rows-stage.ts'
import { SchemaChangeStage } from '../pipeline/schema-change-stage.ts'
import { applyTableChange } from '../relational/table-change.ts'
import { TopicNaming } from '../schema/topic-naming.ts'
import type { MemoryDatabase } from './memory-database.ts'
import { MemoryModel, memorySourceSchema } from './memory-model.ts'
import { MemoryPosition } from './memory-position.ts'
import { MemorySnapshotSource, MemoryStreamSource } from './memory-sources.ts'

export interface MemoryTaskOptions {
  readonly database: MemoryDatabase
  /** Outlives the task, as a topic does. */
  readonly history: SchemaHistory
  /** Before those of the connector. */
  readonly stages?: readonly ChangeStage[]
  readonly sideSources?: readonly SideSource[]
}

const PARTITION = { server: 'memory' }

/** The task of a connector to a `MemoryDatabase`: snapshot and stream, DDL, offsets, restart. */
export class MemoryTask implements SourceTask {
  readonly #options: MemoryTaskOptions
  #pipeline: ChangePipeline | null = null

  constructor(options: MemoryTaskOptions) {
    this.#options = options
  }

  async start(context: SourceTaskContext): Promise<void> {
    const { history, stages = [], sideSources = [] } = this.#options
    const { clock } = context
    const naming = new TopicNaming({ prefix: 'memory' })
    const model = new MemoryModel(naming)
    const common = { partition: PARTITION, headers: NO_HEADERS }
    const records = new DataChangeRecords({
      ...common,
      hasTransaction: false,
      tombstonesOnDelete: true,
      skips: { operations: new Set<string>(), unchangedRows: false },
    })
    const schemaChanges = new SchemaChangeRecords({
      ...common,
      topic: naming.schemaChangeTopic,
      schemaNamePrefix: 'memory',
      sourceSchema: memorySourceSchema,
      clock,
    })
    this.#pipeline = new ChangePipeline({
      sources: await this.#sources(context, model),
      stages: [
        ...stages,
        new RowsStage(records),
        new SchemaChangeStage({ history, records: schemaChanges, partition: PARTITION, clock }),
        new ProgressStage(PARTITION),
      ],
      sideSources,
      clock,
    })
  }

  async #sources(context: SourceTaskContext, model: MemoryModel): Promise<SourceSequence> {
    const { database, history } = this.#options
    const document = context.storedOffset(PARTITION)
    const stored = document === null ? null : MemoryPosition.parse(document)
    if (stored === null || stored.isSnapshot) {
      const snapshot = new MemorySnapshotSource(database, model)
      return {
        first: snapshot,
        next: () => (snapshot.end === null ? null : new MemoryStreamSource(database, model, snapshot.end)),
      }
    }
    await history.recover(({ position, changes }) => {
      if (MemoryPosition.parse(position).entries > stored.entries) return
      for (const change of changes) applyTableChange(change, model.tables)
    })
    return { first: new MemoryStreamSource(database, model, stored), next: () => null }
  }

  poll(signal: AbortSignal): Promise<PollResult> {
    assert(this.#pipeline !== null, 'a task is started before it is polled')
    return this.#pipeline.poll(signal)
  }

  async stop(): Promise<void> {
    await this.#pipeline?.close()
  }
}
