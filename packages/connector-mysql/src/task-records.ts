import { type Header, NO_HEADERS } from '@tributary/connect-api'
import {
  contextHeaders,
  DataChangeRecords,
  type RecordFormat,
  type RecordFormatName,
  nameAdjuster,
  SchemaChangeRecords,
  TransactionCounter,
  TransactionRecords,
} from '@tributary/connector-kit'
import { randomUUID } from 'node:crypto'
import type { Flavor } from './flavor/flavor.ts'
import { formatOf, tableCompiler } from './record-parts.ts'
import type { SourceInfo } from './source/source-info.ts'
import type { TableCompiler } from './tables/captured-table.ts'
import { partitionOf, taskLogger, type TaskSettings } from './task-settings.ts'

/** What makes the records of a task, in its record format. */
export interface TaskRecords {
  readonly format: RecordFormat<SourceInfo>
  readonly compiler: TableCompiler
  readonly rows: DataChangeRecords
  /** Null: `include.schema.changes` is off. */
  readonly schemaChanges: SchemaChangeRecords | null
  /** Null: `provide.transaction.metadata` is off. */
  readonly transactions: TransactionParts | null
}

export interface TransactionParts {
  readonly counter: TransactionCounter
  readonly records: TransactionRecords
}

export function taskRecords(settings: TaskSettings, flavor: Flavor['name'], formatName: RecordFormatName): TaskRecords {
  const { kind, context, config } = settings
  const format = formatOf(kind, config, formatName)
  const headers = format.hasContextHeaders ? runHeaders(settings) : NO_HEADERS
  const partition = partitionOf(settings)
  const transactions = transactionParts(settings)
  const rows = new DataChangeRecords({
    partition,
    hasTransaction: format.envelope.transactionSchema !== null,
    tombstonesOnDelete: config.tombstonesOnDelete,
    skips: config.skips,
    transactions: transactions?.counter ?? null,
    headers,
    counts: settings.numbers.events,
  })
  const schemaChanges = config.includesSchemaChanges
    ? new SchemaChangeRecords({
        partition,
        topic: config.naming.schemaChangeTopic,
        schemaNamePrefix: kind.schemaNamePrefix,
        sourceSchema: format.sourceSchema,
        headers,
        clock: context.clock,
      })
    : null
  const compiler = tableCompiler(config, flavor, format, taskLogger(settings, 'task'))
  return { format, compiler, rows, schemaChanges, transactions }
}

function transactionParts(settings: TaskSettings): TransactionParts | null {
  const { transactionTopic, schemaNameAdjustment } = settings.config
  if (transactionTopic === null) return null
  const records = new TransactionRecords({
    partition: partitionOf(settings),
    topic: transactionTopic,
    adjustSchemaName: nameAdjuster(schemaNameAdjustment, 'schema'),
  })
  return { counter: new TransactionCounter(), records }
}

/** `extended.headers.enabled`, which is on unless it is switched off. */
function runHeaders({ kind, context, config }: TaskSettings): readonly Header[] {
  if (config.properties['extended.headers.enabled']?.toLowerCase() === 'false') return NO_HEADERS
  return contextHeaders({
    logicalName: config.topicPrefix,
    taskNumber: context.taskNumber,
    connectorType: kind.connectorType,
    runId: randomUUID(),
  })
}
