/**
 * MySQL and MariaDB, and nothing about change capture.
 *
 *     await using connection = await MySqlConnection.open({ host, port, user, password, tls: { mode: 'preferred' } })
 *     const rows = await connection.query('SHOW BINARY LOGS')
 */
export { mysqlErrors, serverErrno, serverSqlState } from './errors.ts'
export { answeredWithin, type Awaited, type TimeLimit } from './connection/answered-within.ts'
export { setUpStructureSession } from './commands/structure-session.ts'
export type { MySqlConnectionOptions, MySqlTlsOptions, TlsMode } from './connection/connection-options.ts'
export { MySqlConnection } from './connection/mysql-connection.ts'
export type { WaitOptions } from './connection/mysql-connection.ts'
export type { TextRow } from './connection/text-rows.ts'
export type { BinlogEvent, GtidEvent, MariaDbGtidEvent, QueryEvent } from './binlog/binlog-event.ts'
export { xidOfStatement } from './binlog/xa-events.ts'
export type { BinlogReader } from './binlog/binlog-reader.ts'
export { BinlogStream } from './binlog/binlog-stream.ts'
export type { BinlogStreamOptions } from './binlog/binlog-stream.ts'
export type { EventStream } from './binlog/event-stream.ts'
export { BinlogDump } from './binlog/binlog-dump.ts'
export type { BinlogDumpOptions } from './binlog/binlog-dump.ts'
export { packetError } from './binlog/binlog-reader.ts'
export { SpoolStream } from './binlog/spool-stream.ts'
export { checkEventSum } from './binlog/check-event-sum.ts'
export { createdSecondsOf, eventFacts, isHeartbeat, isInFile, isSamePlace, rotateTarget } from './spool/event-facts.ts'
export { FORMAT_DESCRIPTION, ROTATE } from './spool/event-facts.ts'
export type { EventFacts, SpoolPlace } from './spool/event-facts.ts'
export { SpoolDamagedError } from './spool/spool-feed.ts'
export type { EventPackets, SpoolFeed } from './spool/spool-feed.ts'
export { belongsTo, offsetText, readSpoolStatus } from './spool/spool-status.ts'
export type { SpoolStatus } from './spool/spool-status.ts'
export { SpoolLockedError } from './spool/spool-lock.ts'
export { Spool } from './spool/spool.ts'
export type { FeedStart, SpoolEnd } from './spool/spool.ts'
export type { StatementDecoder } from './binlog/query-event.ts'
export type { ColumnPrinter } from './binlog/column-printer.ts'
export { columnPrinter } from './binlog/column-printers.ts'
export { ColumnTypeCode } from './binlog/column-type.ts'
export type { WireColumn } from './binlog/column-type.ts'
export { earlyValue } from './binlog/early-value.ts'
export type { EarlyValue } from './binlog/early-value.ts'
export { isCompressed } from './binlog/compressed-value.ts'
export { PackedDecimal } from './binlog/packed-decimal.ts'
export { RowCodec } from './binlog/row-codec.ts'
export { ABSENT, CHANGED } from './binlog/row-value.ts'
export type { RowValue } from './binlog/row-value.ts'
export { RowsEvent } from './binlog/rows-event.ts'
export type { RowsKind } from './binlog/rows-event.ts'
export type { TableMap } from './binlog/table-map.ts'
export { tableMapDetails } from './binlog/table-map-details.ts'
export type { ColumnDetails, PrimaryKeyPart, TableMapDetails } from './binlog/table-map-details.ts'
export { fitsWire, varcharBytes } from './binlog/wire-fit.ts'
export type { DumpOptions, DumpStart } from './commands/binlog-dump.ts'
export { formatMariaDbGtid, MariaDbGtidSet, parseMariaDbGtid } from './gtid/mariadb-gtid-set.ts'
export type { MariaDbGtid } from './gtid/mariadb-gtid-set.ts'
export { MySqlGtidSet } from './gtid/mysql-gtid-set.ts'
export type { ColumnKind, ColumnTarget, FixedBinary, TimestampPrinter } from './values/column-target.ts'
export { parseInet4, parseInet6 } from './values/inet-literal.ts'
export { BinaryRowCodec } from './resultset/binary-row-codec.ts'
export type { BinaryColumn } from './resultset/binary-row-codec.ts'
export { LabelError } from './resultset/binary-readers.ts'
export { daysSince1970 } from './resultset/civil-days.ts'
export { FIELD_TYPE } from './resultset/column-definition.ts'
export type { ResultColumn } from './resultset/column-definition.ts'
export { closePrepared, prepareSelect } from './resultset/prepared-select.ts'
export type { PreparedSelect } from './resultset/prepared-select.ts'
export type { RowReader } from './resultset/row-reader.ts'
export { RowStream } from './resultset/row-stream.ts'
export { TextRowCodec } from './resultset/text-row-codec.ts'

export { ddlErrors, DdlSyntaxError } from './ddl/errors.ts'
export type { DdlOptions } from './ddl/options.ts'
export { parseDdl } from './ddl/parse-statement.ts'
export { sqlModeOptions } from './ddl/sql-mode.ts'
export type { SqlModeOptions } from './ddl/sql-mode.ts'
export type {
  AlterAction,
  AlterTable,
  CharsetOptions,
  ColumnDefinition,
  ColumnPosition,
  CreateTable,
  DefaultValue,
  KeyDefinition,
  KeyKind,
  KeyPart,
  Period,
  RenameTable,
  SetVariables,
  Statement,
  TableName,
  TableOptions,
  TransactionControl,
} from './ddl/statement.ts'
export { savepointOf, type SavepointStatement } from './ddl/savepoint.ts'
export { transactionControl } from './ddl/transaction-control.ts'
export { escapeString, unescapeString } from './ddl/string-literal.ts'
export { charsetErrors, charsetNamed, requireCharset } from './types/charset.ts'
export type { Charset } from './types/charset.ts'
export type { CharsetDecoder } from './types/charset-decoder.ts'
export { charsetEncoder, storedText } from './types/charset-encoder.ts'
export {
  bytesPerCharacterMax,
  bytesPerCharacterMin,
  canonicalCharset,
  charsetOfCollation,
  collationById,
} from './types/collations.ts'
export type { Collation } from './types/collations.ts'
export {
  blobFor,
  catalogueType,
  fittingType,
  hasCharset,
  resizedText,
  textFor,
  textLengthMax,
  withCharset,
} from './types/column-type.ts'
export type { ColumnType, ColumnTypeName } from './types/column-type.ts'
export { parseTypeSpelling } from './types/type-spelling.ts'
export type { SpelledType } from './types/type-spelling.ts'
