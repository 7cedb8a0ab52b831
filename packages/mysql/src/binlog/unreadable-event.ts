import { EventType } from './event-type.ts'

/** Rows in a form that this version cannot read. A session can choose each of the forms for itself. */
export interface UnreadableForm {
  /** `compressed`, for messages. */
  readonly form: string
  /** The option that makes the server write it. */
  readonly option: string
  /** The statement that turns it off for new sessions. */
  readonly remedy: string
}

const PARTIAL_JSON: UnreadableForm = {
  form: 'differences of JSON documents',
  option: 'binlog_row_value_options=PARTIAL_JSON',
  remedy: "SET GLOBAL binlog_row_value_options = ''",
}
const COMPRESSED_TRANSACTION: UnreadableForm = {
  form: 'a compressed transaction',
  option: 'binlog_transaction_compression=ON',
  remedy: 'SET GLOBAL binlog_transaction_compression = OFF',
}
/** MariaDB: not of a session. */
export const COMPRESSED_EVENT: UnreadableForm = {
  form: 'compressed',
  option: 'log_bin_compress=ON',
  remedy: 'SET GLOBAL log_bin_compress = OFF',
}

/** The form of an event by its type; absent: another event. */
export const UNREADABLE_FORMS: ReadonlyMap<number, UnreadableForm> = new Map([
  [EventType.partialUpdateRows, PARTIAL_JSON],
  [EventType.transactionPayload, COMPRESSED_TRANSACTION],
  [EventType.mariadbWriteRowsCompressedV1, COMPRESSED_EVENT],
  [EventType.mariadbUpdateRowsCompressedV1, COMPRESSED_EVENT],
  [EventType.mariadbDeleteRowsCompressedV1, COMPRESSED_EVENT],
])
