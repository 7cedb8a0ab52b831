import type { ConfigMap } from '@tributary/connect-api'
import { nameAdjuster, type RecordFormat, type RecordFormatName } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import type { ConnectorConfig } from './config/connector-config.ts'
import type { ConnectorKind } from './connector-kind.ts'
import type { Flavor, ServerInfo } from './flavor/flavor.ts'
import { readsAgain } from './reselect/reselect-plan.ts'
import { DdlInterpreter } from './schema/ddl-interpreter.ts'
import { recordFormat } from './source/record-format.ts'
import type { SourceInfo } from './source/source-info.ts'
import { TableCompiler } from './tables/captured-table.ts'
import { CONNECTOR_VERSION } from './version.ts'

/** The record format of a connector. */
export function formatOf(
  kind: ConnectorKind,
  config: ConnectorConfig,
  name: RecordFormatName,
): RecordFormat<SourceInfo> {
  return recordFormat(name, {
    sourceSchemaName: `${kind.schemaNamePrefix}.Source`,
    constants: { version: CONNECTOR_VERSION, connectorType: kind.connectorType, name: config.topicPrefix },
    hasTransactions: config.transactionTopic !== null,
    hasQueries: config.includesQuery,
  })
}

export function tableCompiler(
  config: ConnectorConfig,
  flavor: Flavor['name'],
  format: RecordFormat<SourceInfo>,
  logger: Logger,
): TableCompiler {
  return new TableCompiler({
    naming: config.naming,
    values: config.values,
    allowsRawColumns: config.failureHandling !== 'fail',
    columns: config.columns,
    converters: config.converters,
    logsVirtualColumns: flavor === 'mysql',
    readsAgain: (table, field) => readsAgain(table, field, config),
    envelope: format.envelope,
    adjustSchemaName: nameAdjuster(config.schemaNameAdjustment, 'schema'),
    adjustFieldName: nameAdjuster(config.fieldNameAdjustment, 'field'),
    logger,
  })
}

export function createInterpreter(
  { flavor, info }: { readonly flavor: Flavor; readonly info: ServerInfo },
  { includesComments, skipsUnparseable }: Pick<ConnectorConfig, 'includesComments' | 'skipsUnparseable'>,
): DdlInterpreter {
  return new DdlInterpreter({
    flavor: flavor.name,
    serverVersion: info.versionNumber,
    lowerCaseTableNames: info.lowerCaseTableNames,
    // Other abbreviations name several zones.
    ...(info.systemTimeZone === 'UTC' ? { systemTimeZone: 'UTC' } : {}),
    serverCharset: info.charset,
    includesComments,
    skipsUnparseable,
  })
}

/** `source.struct.version` of the worker, which has validated it; null when it is not set. */
export function formatOfWorker(workerDefaults: ConfigMap): RecordFormatName | null {
  const value = workerDefaults['source.struct.version']?.toLowerCase()
  return value === 'v1' || value === 'v2' ? value : null
}
