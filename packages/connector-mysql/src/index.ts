/**
 * The MySQL and MariaDB source connectors.
 *
 *     const schema = new DdlInterpreter({ flavor: 'mysql', serverVersion: 90704, … })
 *     const { events, needsSchema } = schema.interpret('ALTER TABLE a ADD b INT', { database: 'inventory' })
 */
export { checkConnector } from './check-connector.ts'
export type { CheckedServer, CheckOptions, CheckReport } from './check-connector.ts'
export { laterProperties } from './config/later-keys.ts'
export type { LaterProperty } from './config/later-keys.ts'
export { oldNames } from './config/old-names.ts'
export type { OldName } from './config/old-names.ts'
export { oldValues } from './config/old-values.ts'
export type { OldValue } from './config/old-values.ts'
export { connectorErrors } from './errors.ts'
export type { TableEstimate } from './pre-flight/catalogue.ts'
export { allChecks } from './pre-flight/checks/all-checks.ts'
export type { Check, Subject } from './pre-flight/checks/check.ts'
export type { Finding } from './pre-flight/finding.ts'
export { findingDefinitions, preFlightErrors } from './pre-flight/finding-definitions.ts'
export type { FindingCode, FindingDefinition, Severity } from './pre-flight/finding-definitions.ts'
export type { CheckResult } from './pre-flight/pre-flight.ts'
export type { SnapshotEstimate } from './pre-flight/snapshot-estimate.ts'
export { columnTypeOf, enumMembers } from './schema/column-type-of.ts'
export { DdlInterpreter } from './schema/ddl-interpreter.ts'
export type { DdlInterpreterOptions } from './schema/ddl-interpreter-options.ts'
export type { RecoveredChange } from './schema/recorded-statement.ts'
export type { DdlSession } from './schema/ddl-session.ts'
export { readDefaultValue } from './schema/default-value.ts'
export type { ColumnDefault } from './schema/default-value.ts'
export { schemaErrors } from './schema/errors.ts'
export type { DdlOutcome, SchemaChange, SchemaGap } from './schema/schema-change.ts'
export { mariadbConnectorPlugin, mysqlConnectorPlugin } from './plugins.ts'
