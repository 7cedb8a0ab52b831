import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  BINLOG_POSITION_UNKNOWN: {
    className: 'io.debezium.DebeziumException',
    message:
      "Cannot read the binlog filename and position via '{statement}' on {address}. Make sure your server is correctly configured.",
    action: 'The server writes no binary log any more: start it with log_bin.',
    recoverable: true,
  },
  PRE_FLIGHT_FAILED: {
    message:
      'The database at {address} is not as the connector needs it, in {count} points, each with what to do:{list}',
    action:
      'The task starts again by itself within five minutes, or at once with POST /connectors/{connector}/tasks/0/restart.',
    recoverable: true,
  },
  HEARTBEAT_QUERY_REFUSED: {
    message: 'The server refuses heartbeat.action.query ({sql}): {reason}.',
    action:
      'Correct the statement in the configuration of the connector, or grant its user the privileges that it needs.',
    recoverable: true,
  },
  REHEARSAL_REFUSED: {
    message: 'The connector {connector} would not continue from its stored offset. It would {reason}.',
    action:
      'A rehearsal does not do that beside a running connector: it would read the source as a whole, or lock it. Let the other program finish its snapshot and store its offset, or expect what is described here after the move.',
  },
  SPOOL_UNUSABLE: {
    message: 'The folder {folder} for the spool of the binlog (binlog.spool.dir) cannot be used: {reason}.',
    action:
      'Name a folder that the service may create and write to, mount it, or remove binlog.spool.dir. The worker tries again by itself, at least every five minutes.',
    recoverable: true,
  },
  SPOOL_IN_USE: {
    message: 'The folder {folder} for the spool of the binlog (binlog.spool.dir) is in use: {reason}.',
    action:
      'The task tries again until the folder is free, which takes half a minute after the end of a process in another container or on another host. Two workers must not have the same folder for connectors of the same name: name another one in binlog.spool.dir.',
    retriable: true,
  },
  SPOOL_TOO_SMALL: {
    message:
      'The task has to read events after {position} ahead of the stream. The server has purged them, and the full spool (binlog.spool.dir) has only a part of them.',
    action: 'Increase binlog.spool.max.bytes and restart the task: it continues from the spool.',
  },
  SPOOL_INCOMPLETE: {
    message:
      'The task has to read the events after {position} ahead of the stream, up to the present. The server has purged a part of them, and the spool (binlog.spool.dir) ends before: {reason}.',
    action:
      'The spool remains, but the connector cannot continue with it. Delete its offsets, or set snapshot.mode=when_needed, and restart it: it takes a new snapshot. Keep the binlog on the server for longer than an outage lasts.',
  },
  SPOOL_DISK_FULL: {
    message: 'The folder {folder} for the spool of the binlog (binlog.spool.dir) cannot be written: {reason}.',
    action: 'The task tries again until it can. Make room on that disk, but do not delete the files of the spool.',
    retriable: true,
  },
  POSITION_PURGED: {
    className: 'io.debezium.DebeziumException',
    message:
      'The connector is trying to read change stream starting at {position}, but this is no longer available on the server {address}: it needs {needed}, but {available}.',
    action:
      'The changes in between are lost to this connector. For a new snapshot stop it (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). Raise binlog_expire_logs_seconds (MariaDB: expire_logs_days) above your longest outage.',
  },
  BINLOG_RESET: {
    className: 'io.debezium.DebeziumException',
    message:
      'The binlog of the server {address} is not the one that was read up to {position}: the connector needs {needed}, but {available}. It was reset (RESET BINARY LOGS AND GTIDS, RESET MASTER), or the server was rebuilt, restored from a backup, or lost its last transactions in a crash.',
    action:
      'Which changes are missing cannot be known. For a new snapshot stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). If you know that the binlog continues the one that was read, change the offset instead, without file_created (PATCH /connectors/{connector}/offsets).',
  },
  SERVER_BEHIND: {
    className: 'io.debezium.DebeziumException',
    message:
      'The database at {address} lacks what was read already: it needs {needed}, but {available}. It may be a replica that lags, or that took over without the last transactions.',
    action:
      'The task waits as long as the server catches up, and fails when it has not for {minutes} minutes. If it is the wrong server, let the address lead to the right one again.',
    retriable: true,
  },
  SERVER_OTHER: {
    className: 'io.debezium.DebeziumException',
    message:
      'The database at {address} is another server ({now}) than the one that was read from ({before}), and without GTIDs the position {position} means nothing on it.',
    action: 'The task waits {minutes} minutes for the address to lead to the right server again, then it fails.',
    retriable: true,
  },
  SERVER_WRONG: {
    className: 'io.debezium.DebeziumException',
    message: 'For {minutes} minutes the database at {address} has not been the one that was read from: {reason}',
    action:
      'Point the address to a server that has all the events that the connector has read. If there is no such server any more, take a new snapshot: stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). If the server has the binlog files of the other one (a copy of its disk), change the offset instead, without server_identity (PATCH /connectors/{connector}/offsets).',
    recoverable: true,
  },
  RECOVERY_WITHOUT_OFFSET: {
    className: 'io.debezium.DebeziumException',
    message:
      'Could not find existing redo log information while attempting schema only recovery snapshot: {reason}, so there is no position to stream from under the recovered structure.',
    action:
      'Set snapshot.mode to initial (rows and structure) or no_data (structure only) to start anew; or, to continue from a position that you know, stop the connector (PUT /connectors/{connector}/stop), set its offset (PATCH /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume).',
  },
  SNAPSHOT_UNFINISHED: {
    className: 'io.debezium.DebeziumException',
    message:
      'The connector previously stopped while taking a snapshot, but now snapshot.mode={mode} reads no rows: those that were not read yet would be missing.',
    action:
      'Set snapshot.mode to initial or when_needed to take the snapshot again; or, to continue without its rows, set it to no_data, stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume).',
  },
  RECOVERY_STRUCTURE_CHANGED: {
    className: 'io.debezium.DebeziumException',
    message:
      'The schema history cannot be recovered from the tables as they are now: after the stored position {position} rows were written before the columns of their tables were changed: {changes}.',
    action:
      'Restore the schema history topic from a copy; or take a new snapshot: set snapshot.mode=initial, stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). To continue with rows that may be read by wrong columns, set event.processing.failure.handling.mode=warn.',
  },
  SNAPSHOT_LOCK_REFUSED: {
    className: 'io.debezium.DebeziumException',
    message:
      "User does not have the 'LOCK TABLES' privilege required to obtain a consistent snapshot by preventing concurrent writes to tables: {reason}.",
    action: "Run: GRANT RELOAD, LOCK TABLES ON *.* TO '{user}'@'%'; or set snapshot.locking.mode=none.",
    recoverable: true,
  },
  SNAPSHOT_TABLES_NEED_LOCK: {
    className: 'io.debezium.DebeziumException',
    message:
      'The snapshot without a lock cannot read the tables {tables}: their rows cannot be copied beside the stream, since they have no key or a statement in snapshot.select.statement.overrides, and the server does not reveal which changes a transaction of it sees, so rows could be doubled or missing.',
    action:
      "Run: GRANT LOCK TABLES ON *.* TO '{user}'@'%', for a lock of some milliseconds on these tables. Or give them a primary key; or leave out their rows with snapshot.include.collection.list. On MySQL with GTIDs, a time with fewer changes of these tables suffices, and on MariaDB one without prepared XA transactions (XA RECOVER lists them).",
    recoverable: true,
  },
  SNAPSHOT_PREPARED_NEED_LOCK: {
    className: 'io.debezium.DebeziumException',
    message:
      'The database at {address} has prepared XA transactions, and does not reveal whether changes of the tables {tables} that they have committed are visible; a lock on these tables, which would show it, was not acquired.',
    action:
      'Commit or roll back these transactions: XA RECOVER lists them. Or grant LOCK TABLES to the user, for locks of some milliseconds. The task tries it again by itself.',
    retriable: true,
  },
  SNAPSHOT_COPY_WITHOUT_KEY: {
    className: 'io.debezium.DebeziumException',
    message:
      'The table {table}, which the initial snapshot has not copied completely, cannot be copied any more: it {reason}.',
    action:
      'Restore its key: the task then continues by itself. Or end the copy of the table with a stop-snapshot signal, which leaves out the rows that were not copied.',
    retriable: true,
  },
  SNAPSHOT_LOCK_WAIT: {
    className: 'io.debezium.DebeziumException',
    message:
      'The {lock} of the snapshot was not available within {seconds} s (attempt {tries} of {triesMax}); {holders}.',
    action:
      'Waiting for the lock blocks writes, so the snapshot stops waiting and tries again after a pause. End the session that holds the lock, or set snapshot.locking.mode=none.',
    retriable: true,
  },
  SNAPSHOT_LOCK_GIVEN_UP: {
    className: 'io.debezium.DebeziumException',
    message: 'The lock of the snapshot was not available in {tries} attempts: {reason}',
    action:
      'Each attempt blocks the writes of other sessions, so the task does not retry by itself. End the sessions that hold the lock, or choose another time for the snapshot, and restart the task. snapshot.locking.mode=none needs no lock.',
  },
  SNAPSHOT_OTHER_SERVER: {
    className: 'io.debezium.DebeziumException',
    message: 'At the address {address} the connections of the snapshot reached two servers, {identity} and {other}.',
    action:
      'The snapshot starts again by itself. If that repeats, make database.hostname lead to one server only: another one may have other tables, and its binlog has other positions.',
    retriable: true,
  },
  SNAPSHOT_TABLES_CHANGED: {
    className: 'io.debezium.DebeziumException',
    message: 'A table was changed while the snapshot was taken: {reason}.',
    action:
      'The snapshot starts again by itself. If that repeats, run it at a time when no tables are created, altered or dropped.',
    retriable: true,
  },
  SNAPSHOT_HISTORY_LATE: {
    className: 'io.debezium.DebeziumException',
    message:
      'The brokers of the schema history did not acknowledge the structure of the tables within {seconds} s; the lock on the database was released.',
    action:
      'The snapshot starts again by itself when they answer. Check the brokers of schema.history.internal.kafka.bootstrap.servers.',
    retriable: true,
  },
  TABLE_UNKNOWN: {
    className: 'io.debezium.DebeziumException',
    message:
      "Encountered change event for table {table} whose schema isn't known to this connector, at {position}: {reason}.",
    action:
      'Its definition does not follow from the statements of the binlog: one of them is missing (SET sql_log_bin=0), or depends on what is not in the binlog, and the definition of now may be another one. Changes of the table from there on are not captured, those of other tables are. To capture it again from now on, run on the database: {remedy}; for the changes until then, take a new snapshot: stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). With binlog_row_metadata=FULL such rows can be read, too.',
  },
  TABLE_UNKNOWN_HERE: {
    className: 'io.debezium.DebeziumException',
    message: 'The definition of the table {table} is not known at {position}: {reason}.',
    action:
      'Its definition then does not follow from the statements of the binlog, and the definition of now may be another one. Changes of the table from there on are not printed. To print its later changes, run on the database: {remedy}; or start the command again from a place after the last change of the definition. For the rows as they are now use --snapshot. With binlog_row_metadata=FULL the binlog has the names of the columns, and such changes can be read.',
  },
  MEMBERS_UNKNOWN: {
    message:
      "The definition of {table} cannot be read completely: the server prints {what} of column {column} as '{printed}', where a question mark may replace another character, and does not return the value itself.",
    action:
      'The table may have changed at this moment: the worker restarts the task. If that does not help, exclude the table by table.exclude.list, or change the text to one without question marks (ALTER TABLE … MODIFY).',
    recoverable: true,
  },
  COLUMNS_UNREADABLE: {
    className: 'io.debezium.DebeziumException',
    message: 'Table {table} has columns whose values this version cannot convert: {columns}.',
    action:
      'No change is lost: the task continues where it stopped. Exclude the columns by column.exclude.list or the table by table.exclude.list; or set event.processing.failure.handling.mode=warn, with which events have the raw bytes of such columns. Then restart the task. For later rows, the columns may be given types that are supported (ALTER TABLE … MODIFY).',
  },
  COLUMNS_UNMASKABLE: {
    className: 'io.debezium.DebeziumException',
    message:
      'Table {table} has columns whose values this version cannot convert: {columns}. Events could have their raw bytes, but a property masks, hashes or truncates the columns.',
    action: 'Exclude the columns by column.exclude.list or the table by table.exclude.list, then restart the task.',
  },
  XA_ROWS_MISSING: {
    className: 'io.debezium.DebeziumException',
    message:
      'The binlog no longer has the rows of the XA transaction {xid}, which is committed at {position}: it was prepared in a file that the server has removed.',
    action:
      'Rows of the transaction would be missing. Take a new snapshot: stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). Or, if the transaction changed no captured table, set event.processing.failure.handling.mode=warn until the connector has passed it. Keep binlog files for longer than transactions stay prepared (XA RECOVER lists them).',
  },
  ROLLBACK_UNCLEAR: {
    message:
      'A transaction was rolled back, as a whole or to a savepoint, at {position}, and which of its rows are valid is not known: {reason}.',
    action:
      'Events of rows that do not exist may have been sent. For the right state of all rows take a new snapshot: stop the connector (PUT /connectors/NAME/stop), remove its offsets (DELETE /connectors/NAME/offsets) and resume it (PUT /connectors/NAME/resume). To continue instead, set event.processing.failure.handling.mode=warn until the connector has passed the position.',
  },
  TABLES_STOPPED: {
    className: 'io.debezium.DebeziumException',
    message:
      'The definitions of more than {max} tables are not known; the last one is {table}, at {position}: {reason}.',
    action:
      'Something changes tables without the binlog. Take a new snapshot: stop the connector (PUT /connectors/{connector}/stop), remove its offsets (DELETE /connectors/{connector}/offsets) and resume it (PUT /connectors/{connector}/resume). To leave out the rows of such tables, set event.processing.failure.handling.mode=warn.',
  },
  DEFINITION_ELSEWHERE: {
    className: 'io.debezium.DebeziumException',
    message:
      'A table definition is needed for {position} of the server {before}, but {address} leads to another server ({now}) now.',
    action: 'The stream connects again and continues with the server that it reaches then.',
    retriable: true,
  },
  OFFSET_UNREADABLE: {
    className: 'io.debezium.DebeziumException',
    message: 'The stored offset has a value of {key} that cannot be read: {value}.',
    action:
      'Restore it or, for a new snapshot, remove the offset: PUT /connectors/<name>/stop, DELETE /connectors/<name>/offsets, PUT /connectors/<name>/resume.',
  },
  ROW_PARTIAL: {
    className: 'io.debezium.DebeziumException',
    message:
      'The row of {table} at {position} lacks column {column}, {why}. The session that wrote it, or the server, had a binlog_row_image other than FULL.',
    action:
      "Run: SET GLOBAL binlog_row_image = 'FULL'; and end the sessions that have set it otherwise. For the rows that are in the log, let the post processor io.debezium.processors.reselect.ReselectColumnsPostProcessor read such columns again, or take a key of columns that the row has (message.key.columns). To continue without such rows, set event.processing.failure.handling.mode=warn.",
  },
  STATEMENT_FORMAT: {
    className: 'io.debezium.DebeziumException',
    message:
      "Received DML '{statement}' for processing at {position}: the binlog probably contains events generated with statement or mixed based replication format, and the rows that it changed are not in it.",
    action:
      "Run: SET GLOBAL binlog_format = 'ROW'; and end the sessions that have set it otherwise. To continue without those rows, set event.processing.failure.handling.mode=warn.",
  },
  INCIDENT: {
    className: 'io.debezium.DebeziumException',
    message: 'The server reports that events are missing from its binlog at {position}: {reason}.',
    action:
      'What the server lost cannot be captured. Remove the offset of the connector so that it takes a new snapshot, or set event.processing.failure.handling.mode=warn to continue without it.',
  },
  FIELD_NAMES_CLASH: {
    message: 'Two columns of {table} have the name {name} after field.name.adjustment.mode.',
    action: 'Set field.name.adjustment.mode=avro_unicode, which keeps names apart, or rename a column.',
  },
  SNAPSHOT_SELECT_REFUSED: {
    className: 'io.debezium.DebeziumException',
    message: 'The server refuses the statement of snapshot.select.statement.overrides.{table} ({statement}): {reason}.',
    action: 'Correct the statement in the configuration of the connector; the snapshot then begins again.',
  },
  SNAPSHOT_SELECT_COLUMNS: {
    className: 'io.debezium.DebeziumException',
    message:
      'The statement of snapshot.select.statement.overrides.{table} ({statement}) does not return rows of that table: {reason}.',
    action:
      'Let the statement select the columns of the table themselves, such as SELECT * FROM the table WHERE a condition; NULL may replace a column that permits it. To leave a column out of all events use column.exclude.list.',
  },
  INCREMENTAL_COMMITS_LATE: {
    className: 'io.debezium.DebeziumException',
    message:
      'The database at {address} has sent changes up to {position}, but has not committed them: a chunk that is read now would be older than these changes.',
    action:
      'The task reads the chunk again. If the error repeats, look for replicas that do not acknowledge (semi-synchronous replication).',
    retriable: true,
  },
  INCREMENTAL_OTHER_SERVER: {
    className: 'io.debezium.DebeziumException',
    message:
      'At the address {address} the incremental snapshot reached the server {identity}, but the stream reads from {stream}.',
    action:
      'The task reads the chunk again. If the error repeats, make the address lead to one server only: one may lack rows that the other has.',
    retriable: true,
  },
  INCREMENTAL_CHUNK_TOO_LARGE: {
    className: 'io.debezium.DebeziumException',
    message:
      'Rows of the table {table} that have the same key of the incremental snapshot are larger than {bytes} bytes together: a chunk has all rows of a key, and is in memory as a whole.',
    action:
      'End the snapshot of the table with a stop-snapshot signal, and begin another one by its primary key, by a surrogate-key with more values, or with the type blocking, which needs no memory for it.',
    retriable: true,
  },
  INCREMENTAL_OTHER_DEFINITION: {
    className: 'io.debezium.DebeziumException',
    message:
      'The incremental snapshot cannot read the table {table}, whose definition on the server is not that at the position of the stream: {what}.',
    action:
      'The task reads the chunk again after the stream has reached the statement. If the error repeats, the statement is not in the binlog: run ALTER TABLE {table} without any change, or end the snapshot of the table with a stop-snapshot signal.',
    retriable: true,
  },
  SNAPSHOT_HELD_UP: {
    message: 'The snapshot has read nothing for {minutes} min: {reason}.',
    action:
      'It continues by itself when the reason is gone. A replica that stays away is not waited for after snapshot.replica.wait.max.ms; raise the limit of snapshot.max.running.threads or snapshot.max.replica.lag.ms if it is too low.',
    retriable: true,
  },
  INCREMENTAL_OVERTAKEN: {
    className: 'io.debezium.DebeziumException',
    message:
      'A chunk of the incremental snapshot of {table} was read {times} times in a row, since the table was altered each time; the last statement was {statement}.',
    action:
      'The task reads the chunk again after a growing pause of up to 30 s, until no statement changes the table meanwhile. Alter the table less often, or at another time; a pause-snapshot or stop-snapshot signal ends the attempts.',
    retriable: true,
  },
  KEY_FIELD_CLASH: {
    message:
      'The key of {table} has a column named {name}, which is also the name of the field that topic.naming.strategy adds to keys.',
    action: 'Set topic.key.field.name to a name that no column has.',
  },
  RESELECT_NO_KEY: {
    message:
      'A row of {table} cannot be read again: its event does not contain the exact values of the columns that identify it.',
    action:
      'Leave the table out of reselect.columns.include.list, or let the keys of its events have the primary key, without converters and with an exact decimal.handling.mode and time.precision.mode.',
  },
  RESELECT_NOT_FOUND: {
    className: 'io.debezium.DebeziumException',
    message: 'Failed to find a row of {table} whose columns were to be read again.',
    action:
      'It was deleted, or its key changed, after the event. Set reselect.error.handling.mode=warn to continue with the values of the event.',
  },
  RESELECT_FAILED: {
    className: 'io.debezium.DebeziumException',
    message: 'Failed to read columns of a row of {table} again: {reason}',
    action:
      'Grant the user of the connector SELECT on the table. If its columns were changed after the event, or in general to continue with the values of events, set reselect.error.handling.mode=warn.',
    recoverable: true,
  },
  RESELECT_INTERRUPTED: {
    className: 'io.debezium.DebeziumException',
    message: 'Columns of a row of {table} could not be read again, after several attempts: {reason}',
    action: 'The task connects again and repeats the event.',
    retriable: true,
  },
  ZERO_DATE_LITERAL: {
    message:
      'The option {option} of ZeroDateFallbackConverter is {value}, but the type of the column {column} is {type}, whose literals are {form}.',
    action: 'Correct the option in the configuration of the connector, or set it to NULL.',
  },
  START_PLACE: {
    message: 'The binlog cannot be read from {place} on: {reason}.',
    action:
      'A reader starts where a transaction begins. SHOW BINARY LOGS lists the files of the server, and SHOW BINLOG EVENTS IN the file its events: name the position of an event of the type Gtid or Anonymous_Gtid, or the end of one of the type Xid.',
  },
  START_GTIDS: {
    message: 'The binlog cannot be read after the GTIDs {gtids}: {reason}.',
    action:
      'For MySQL, give the set of all GTIDs that are not to be read (@@global.gtid_executed of that time), for MariaDB a position (@@gtid_binlog_pos); or start by time, as with 10m, or by file and position.',
  },
  KEYSTORE_FORM: {
    message: 'The file {path} named by {property} is not in PEM form.',
    action:
      'Convert it: keytool -importkeystore … -deststoretype PKCS12, then openssl pkcs12 -in … -out store.pem -nodes.',
  },
  KEYSTORE_UNREADABLE: {
    message: 'The file {path} named by {property} cannot be read: {reason}.',
    action: 'Correct the path or the permissions of the file.',
    recoverable: true,
  },
} as const

/** Errors of the MySQL and MariaDB connectors. */
export const connectorErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
