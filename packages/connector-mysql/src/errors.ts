import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  BINLOG_POSITION_UNKNOWN: {
    className: 'io.debezium.DebeziumException',
    message:
      "Cannot read the binlog filename and position via '{statement}' on {address}. Make sure your server is correctly configured.",
    action: 'The server writes no binary log any more: start it with log_bin, then restart the task.',
  },
  PRE_FLIGHT_FAILED: {
    message:
      'The database at {address} is not as the connector needs it, in {count} points, each with what to do:{list}',
    action: 'Then restart the task: POST /connectors/{connector}/tasks/0/restart.',
  },
  POSITION_PURGED: {
    className: 'io.debezium.DebeziumException',
    message:
      'The connector is trying to read change stream starting at {position}, but this is no longer available on the server {address}: it needs {needed}, but {available}.',
    action:
      'The changes in between are lost to this connector. For a new snapshot stop it (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). Raise binlog_expire_logs_seconds (MariaDB: expire_logs_days) above your longest outage.',
  },
  SERVER_BEHIND: {
    className: 'io.debezium.DebeziumException',
    message:
      'The database at {address} lacks what was read already: it needs {needed}, but {available}. It may be a replica that lags, or that took over without the last transactions.',
    action:
      'It is waited for as long as the server catches up; when it has not for {minutes} minutes, the task fails. Else let the address lead to the right server again.',
    retriable: true,
  },
  SERVER_OTHER: {
    className: 'io.debezium.DebeziumException',
    message:
      'The database at {address} is another server ({now}) than the one that was read from ({before}), and without GTIDs the position {position} means nothing on it.',
    action: 'It is waited for {minutes} minutes that the address leads to the right one again.',
    retriable: true,
  },
  SERVER_WRONG: {
    className: 'io.debezium.DebeziumException',
    message:
      'It was waited {minutes} minutes in vain for the database at {address} to be the one that was read from: {reason}',
    action:
      'Let the address lead to a server that has all that was read, and restart the task. When there is none any more, take a new snapshot: stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). When the server holds the very files of the other one (a copy of its disk), change the offset instead, without server_identity (PATCH /connectors/{connector}/offsets).',
  },
  HISTORY_MISSING: {
    className: 'io.debezium.DebeziumException',
    message:
      'The db history topic is missing: {topic} does not exist or is empty, but the stored offset of the connector says that a snapshot was taken.',
    action:
      'Restore the topic; or let the connector build it anew of the tables as they are now, with snapshot.mode=recovery; or, for a new snapshot, stop it (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume).',
  },
  RECOVERY_WITHOUT_OFFSET: {
    className: 'io.debezium.DebeziumException',
    message:
      'Could not find existing redo log information while attempting schema only recovery snapshot: {reason}, so there is no position to stream from under the recovered structure.',
    action:
      'Set snapshot.mode to initial (rows and structure) or no_data (structure only) to begin anew; or, to go on from a position that you know, stop the connector (PUT /connectors/{connector}/stop), set its offset (PATCH /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume).',
  },
  SNAPSHOT_UNFINISHED: {
    className: 'io.debezium.DebeziumException',
    message:
      'The connector previously stopped while taking a snapshot, but now snapshot.mode={mode} reads no rows: those that were not read yet would be missing.',
    action:
      'Set snapshot.mode to initial or when_needed to take the snapshot again; or, to go on without its rows, set it to no_data, stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume).',
  },
  RECOVERY_STRUCTURE_CHANGED: {
    className: 'io.debezium.DebeziumException',
    message:
      'The schema history cannot be recovered from the tables as they are now: behind the stored position {position} rows were written before the columns of their tables were changed: {changes}.',
    action:
      'Restore the schema history topic from a copy; or take a new snapshot: set snapshot.mode=initial, stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). To go on with rows that may be read by wrong columns set event.processing.failure.handling.mode=warn.',
  },
  SNAPSHOT_LOCK_REFUSED: {
    className: 'io.debezium.DebeziumException',
    message:
      "User does not have the 'LOCK TABLES' privilege required to obtain a consistent snapshot by preventing concurrent writes to tables: {reason}.",
    action: "Run: GRANT RELOAD, LOCK TABLES ON *.* TO '{user}'@'%'; or set snapshot.locking.mode=none.",
  },
  SNAPSHOT_LOCK_WAIT: {
    className: 'io.debezium.DebeziumException',
    message: 'The {lock} of the snapshot was not to be had within {seconds} s (try {tries} of {triesMax}); {holders}.',
    action:
      'Writes wait while it is waited for, so it is given up and tried again after a pause. End what holds it, or set snapshot.locking.mode=none.',
    retriable: true,
  },
  SNAPSHOT_LOCK_GIVEN_UP: {
    className: 'io.debezium.DebeziumException',
    message: 'The lock of the snapshot was not to be had in {tries} tries: {reason}',
    action:
      'End the sessions that hold it or take the snapshot at another time, then restart the task; snapshot.locking.mode=none does without a lock when no table is altered meanwhile.',
  },
  SNAPSHOT_TABLES_CHANGED: {
    className: 'io.debezium.DebeziumException',
    message: 'A table was changed while the snapshot was taken: {reason}.',
    action:
      'The snapshot begins again by itself. If that goes on, let it run when no tables are created, altered or dropped.',
    retriable: true,
  },
  SNAPSHOT_HISTORY_LATE: {
    className: 'io.debezium.DebeziumException',
    message:
      'The brokers of the schema history did not take the structure of the tables within {seconds} s; the lock on the database was given up.',
    action:
      'The snapshot begins again by itself when they answer. Look at the brokers that schema.history.internal.kafka.bootstrap.servers names.',
    retriable: true,
  },
  TABLE_UNKNOWN: {
    className: 'io.debezium.DebeziumException',
    message:
      "Encountered change event for table {table} whose schema isn't known to this connector, at {position}: {reason}.",
    action:
      'The table was created by a statement that is not in the binlog, and has been dropped or changed since. Remove the offset of the connector so that it takes a new snapshot, or exclude the table.',
  },
  ROW_PARTIAL: {
    className: 'io.debezium.DebeziumException',
    message:
      'The row of {table} at {position} leaves out column {column}: the session that wrote it had binlog_row_image {image}.',
    action:
      "Run: SET GLOBAL binlog_row_image = 'FULL'; and end the sessions that set it otherwise. To go on without such rows set event.processing.failure.handling.mode=warn.",
  },
  STATEMENT_FORMAT: {
    className: 'io.debezium.DebeziumException',
    message:
      "Received DML '{statement}' for processing at {position}: the binlog probably contains events generated with statement or mixed based replication format, and the rows that it changed are not in it.",
    action:
      "Run: SET GLOBAL binlog_format = 'ROW'; and end the sessions that set it otherwise. To go on without those rows set event.processing.failure.handling.mode=warn.",
  },
  INCIDENT: {
    className: 'io.debezium.DebeziumException',
    message: 'The server reports that events are missing from its binlog at {position}: {reason}.',
    action:
      'What the server lost cannot be captured. Remove the offset of the connector so that it takes a new snapshot, or set event.processing.failure.handling.mode=warn to go on without it.',
  },
  FIELD_NAMES_CLASH: {
    message: 'Two columns of {table} have the name {name} after field.name.adjustment.mode.',
    action: 'Set field.name.adjustment.mode=avro_unicode, which keeps names apart, or rename a column.',
  },
  KEYSTORE_FORM: {
    message: 'The file {path} named by {property} is not in PEM form.',
    action:
      'Convert it: keytool -importkeystore … -deststoretype PKCS12, then openssl pkcs12 -in … -out store.pem -nodes.',
  },
  KEYSTORE_UNREADABLE: {
    message: 'The file {path} named by {property} cannot be read: {reason}.',
    action: 'Correct the path or the permissions of the file.',
  },
} as const

/** Errors of the MySQL and MariaDB connectors. */
export const connectorErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
