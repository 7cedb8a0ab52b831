/**
 * The database-neutral half of a connector.
 *
 *     const tables = new Tables()
 *     for (const change of tableChangesFromJson(record.tableChanges) ?? []) applyTableChange(change, tables)
 *     const customers = tables.get(TableId.of('inventory', 'customers'))
 */
export type { Column } from './relational/column.ts'
export { prettyJson } from './relational/pretty-json.ts'
export type { JsonValue } from './relational/pretty-json.ts'
export { applyTableChange } from './relational/table-change.ts'
export type { TableChange, TableChangeType } from './relational/table-change.ts'
export { tableChangesFromJson, tableChangesToJson } from './relational/table-change-json.ts'
export { TableId } from './relational/table-id.ts'
export type { Table, TableAttribute } from './relational/table.ts'
export { Tables } from './relational/tables.ts'

export { historyErrors } from './history/errors.ts'
export { debeziumMessages } from './config/debezium-messages.ts'
export { RegexList, regexListRefusal } from './config/regex-list.ts'
export { contextHeaders } from './events/context-headers.ts'
export type { RecordContext } from './events/context-headers.ts'
export { HeartbeatRecords } from './events/heartbeat-records.ts'
export { DataChangeRecords } from './events/data-change-records.ts'
export { isSameStruct, isSameValue } from './events/same-value.ts'
export type { ChangesToSkip, EventOrigin } from './events/data-change-records.ts'
export type { RecordFormat, RecordFormatName, SnapshotMarker } from './events/record-format.ts'
export { RowMarkers } from './events/row-markers.ts'
export type { MarkedTable } from './events/row-markers.ts'
export { DecodedRow } from './events/row-image.ts'
export type { RowImage } from './events/row-image.ts'
export { TransactionCounter, transactionBlockSchema } from './events/transaction-counter.ts'
export { TransactionOffset, TransactionProgress } from './events/transaction-progress.ts'
export { TransactionRecords } from './events/transaction-records.ts'
export { SchemaChangeRecords } from './events/schema-change-records.ts'
export type { SchemaChangeEvent } from './events/schema-change-records.ts'
export { connectorFamilies, connectorMetricDefinitions } from './metrics/connector-families.ts'
export type { ConnectorLabels } from './metrics/connector-families.ts'
export { type Notification, NotificationRecords, type NotificationType } from './events/notification-records.ts'
export { NotificationStage, type NotificationStageOptions } from './pipeline/notification-stage.ts'
export { ConnectorNumbers, HistoryNumbers, StreamingNumbers } from './metrics/connector-numbers.ts'
export { SnapshotNumbers, tableProgress } from './metrics/snapshot-numbers.ts'
export type { SpoolNumbers } from './metrics/connector-numbers.ts'
export type { LogPosition } from './metrics/connector-numbers.ts'
export type { RowProgress, SnapshotKind, SnapshotTable, WholeProgress } from './metrics/snapshot-numbers.ts'
export { EventCounts } from './metrics/event-counts.ts'
export type { MetricSource } from './metrics/metric-source.ts'
export { KafkaSchemaHistory } from './history/kafka-schema-history.ts'
export { MemorySchemaHistory } from './history/memory-schema-history.ts'
export { NoSchemaHistory } from './history/no-history.ts'
export { ReadOnlySchemaHistory } from './history/read-only-history.ts'
export type { CheckpointHeader, CheckpointStore, StoredCheckpoint } from './history/checkpoint.ts'
export { checkpointTopic } from './history/kafka-checkpoints.ts'
export type { HistoryExtent, HistoryRecord, RecoverOptions, SchemaHistory } from './history/schema-history.ts'
export type {
  BeginChange,
  Change,
  ChangedRows,
  ChangePosition,
  ChangeSource,
  ChangeStage,
  EndChange,
  Poll,
  ProgressChange,
  ReusedMemory,
  RowsChange,
  SchemaEvent,
  SchemaStatement,
  SideSource,
  SourceState,
  StatementChange,
  TransactionIdentity,
} from './pipeline/change.ts'
export { ChangePipeline } from './pipeline/change-pipeline.ts'
export type { ChangePipelineOptions, SourceSequence } from './pipeline/change-pipeline.ts'
export { PollScope } from './pipeline/poll-scope.ts'
export { HeartbeatStage } from './pipeline/heartbeat-stage.ts'
export type { HeartbeatStageOptions } from './pipeline/heartbeat-stage.ts'
export { ProgressStage } from './pipeline/progress-stage.ts'
export { RowsStage } from './pipeline/rows-stage.ts'
export { SchemaChangeStage } from './pipeline/schema-change-stage.ts'
export { TransactionStage } from './pipeline/transaction-stage.ts'
export { StageChain } from './pipeline/stage-chain.ts'
export { nameAdjuster, nameAdjustments } from '@tributary/connect-api'
export type { NameAdjuster, NameAdjustment } from '@tributary/connect-api'
export { buildTableSchema } from './schema/table-schema.ts'
export type { EnvelopeForm, KeyField, TableSchema, ValueField } from './schema/table-schema.ts'
export type { ColumnMask, RowMask } from './schema/row-mask.ts'
export { namingErrors } from './schema/errors.ts'
export { isTopicName, underscored, unicodeEscaped } from './schema/topic-names.ts'
export { TopicNaming } from './schema/topic-naming.ts'
export type { TableTopic, TopicNamingOptions, TopicRoute } from './schema/topic-naming.ts'
export { historyClientRefusals } from './history/history-client.ts'
export { openKafkaSchemaHistory } from './history/open-kafka-schema-history.ts'
export type { KafkaHistorySettings } from './history/open-kafka-schema-history.ts'
export { SignalTopic } from './signals/signal-topic.ts'
export type { SignalRecord, SignalTopicOptions } from './signals/signal-topic.ts'
