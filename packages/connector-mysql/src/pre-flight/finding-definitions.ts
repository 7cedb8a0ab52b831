import { defineErrors, type ErrorDefinition, type ErrorRegistry } from '@tributary/support'

/** error: the connector cannot work. warning: it can, but may fail or lose changes later. */
export type Severity = 'error' | 'warning'

/** A problem that a check can find, with its place and remedy. All three texts may contain `{placeholders}`. */
export interface FindingDefinition extends ErrorDefinition {
  readonly severity: Severity
  /** The property of the connector that it belongs to. */
  readonly property: string
  /** Replaces `{statement}` in the other texts. */
  readonly statement?: string
}

/**
 * The findings of the pre-flight. The statements are for an administrator of the database, not for the connector's
 * user. Those that set variables are effective until the server restarts, so the action names the permanent line of the
 * configuration file too.
 */
const definitions = {
  CONFIG_INVALID: {
    severity: 'error',
    property: 'connector.class',
    className: 'org.apache.kafka.common.config.ConfigException',
    message: '{reason}.',
    action: '',
  },
  PROPERTY_OLD: {
    severity: 'warning',
    property: 'connector.class',
    message: 'The property {property} {reason}',
    action: '',
  },
  PROPERTY_INEFFECTIVE: {
    severity: 'warning',
    property: 'connector.class',
    message: 'The property {property} {reason}',
    action: '',
  },
  BINLOG_OFF: {
    severity: 'error',
    recoverable: true,
    property: 'database.hostname',
    className: 'io.debezium.DebeziumException',
    message: 'The server {address} writes no binary log (log_bin=OFF), so there is nothing to capture changes from.',
    action:
      'It cannot be switched on while the server runs: write the lines log_bin=binlog and server_id=1 (a number of its own) into the section [mysqld] of its configuration file, remove skip-log-bin and disable-log-bin from it, and restart the server.',
  },
  BINLOG_FORMAT: {
    severity: 'error',
    recoverable: true,
    property: 'database.hostname',
    message:
      'The database server is not configured to use a ROW binlog_format, which is required for this connector to work properly (it is {value}).',
    action:
      'Run: {statement} and write binlog_format=ROW into the section [mysqld] of its configuration file; sessions that are open keep the old format until they are ended.',
    statement: "SET GLOBAL binlog_format = 'ROW';",
  },
  BINLOG_ROW_IMAGE: {
    severity: 'warning',
    property: 'database.hostname',
    message:
      'The server {address} leaves columns out of the rows in its binlog (binlog_row_image={value}). Events of updates and deletes contain unavailable.value.placeholder instead of texts and bytes that are missing. Numbers, dates and times have no placeholder: if the image before a change lacks one, `before` is null; if the image after it lacks one, the task fails.',
    action:
      'Run: {statement} and write binlog_row_image=FULL into the section [mysqld] of its configuration file; sessions that are open keep the old image until they are ended. Or let the post processor io.debezium.processors.reselect.ReselectColumnsPostProcessor read the columns again.',
    statement: "SET GLOBAL binlog_row_image = 'FULL';",
  },
  BINLOG_PARTIAL_JSON: {
    severity: 'warning',
    property: 'database.hostname',
    message:
      'The server {address} writes updates of JSON columns as differences (binlog_row_value_options=PARTIAL_JSON) and leaves out the documents that they refer to (binlog_row_image={value}): events contain unavailable.value.placeholder instead of documents that JSON_SET, JSON_REPLACE and JSON_REMOVE have changed.',
    action:
      'Run: {statement} and remove binlog_row_value_options from the section [mysqld] of its configuration file; sessions that are open keep the option until they are ended.',
    statement: "SET GLOBAL binlog_row_value_options = '';",
  },
  BINLOG_FILTERED: {
    severity: 'warning',
    property: 'database.include.list',
    message:
      'The server {address} does not write changes of {databases} to its binlog ({filters}): they are in the snapshot, and are not captured after it.',
    action:
      'Remove those lines from the section [mysqld] of its configuration file and restart the server, or exclude the databases by database.exclude.list.',
  },
  QUERIES_NOT_LOGGED: {
    severity: 'warning',
    property: 'include.query',
    message:
      'The server {address} does not write the statements of row changes to its binlog ({variable}=OFF), so source.query of events is null although include.query=true.',
    action:
      'Run: {statement} and write {variable}=ON into the section [mysqld] of its configuration file; sessions that are open keep the setting until they are ended.',
    statement: 'SET GLOBAL {variable} = ON;',
  },
  QUERIES_SHOW_HIDDEN: {
    severity: 'warning',
    property: 'include.query',
    message:
      'With include.query=true, source.query of events contains statements in full, and in them also the values of columns that {property} hides.',
    action: 'Remove include.query, unless all consumers may see those values.',
  },
  SERVER_ID_ZERO: {
    severity: 'error',
    recoverable: true,
    property: 'database.hostname',
    message: 'The server {address} has server_id=0 and sends its binlog to no replica.',
    action:
      'Run: {statement} with a number that none of its replicas has, and write it into the section [mysqld] of its configuration file.',
    statement: 'SET GLOBAL server_id = 1;',
  },
  SERVER_ID_TAKEN: {
    severity: 'warning',
    property: 'database.server.id',
    message: 'The server {address} has database.server.id={serverId} in use by {holder}.',
    action:
      'If that is not this connector itself, nor one that ended a minute ago: choose a number for database.server.id that no replica, no other connector and no server has. Otherwise the two end each other’s connections.',
  },
  REPLICA_WITHOUT_UPDATES: {
    severity: 'warning',
    property: 'database.hostname',
    message:
      'The server {address} is a replica, and does not write what it replicates to its own binlog ({variable}=OFF): only changes that are made on it directly are captured.',
    action:
      'Write {variable}=ON into the section [mysqld] of its configuration file and restart it, or capture from the server that it replicates.',
  },
  GTID_OFF: {
    severity: 'warning',
    property: 'database.hostname',
    message:
      'The server {address} writes no GTIDs (gtid_mode={value}): when it fails and a replica takes over, the connector cannot find its position there and needs a new snapshot.',
    action:
      'Run, one after the other: {statement} and write gtid_mode=ON and enforce_gtid_consistency=ON into the section [mysqld] of its configuration file. Statements that GTIDs do not allow are refused from then on; enforce_gtid_consistency=WARN shows them beforehand.',
    statement: '{statements}',
  },
  RETENTION_SHORT: {
    severity: 'warning',
    property: 'database.hostname',
    message:
      'The server {address} removes its binlog after {period} ({variable}): a connector that is stopped or cannot reach it for longer loses changes and needs a new snapshot.',
    action:
      'Run: {statement} and write {variable}={value} into the section [mysqld] of its configuration file. Take more than the longest outage that you want to survive.',
    statement: 'SET GLOBAL {variable} = {value};',
  },
  RETENTION_SIZE: {
    severity: 'warning',
    property: 'database.hostname',
    message:
      'The server {address} removes its oldest binlog files when they are more than {bytes} bytes together ({variable}): how long a connector may be stopped depends on how much is written.',
    action: 'Run: {statement} to keep them by time alone, or be sure that it is enough for your longest outage.',
    statement: 'SET GLOBAL {variable} = 0;',
  },
  TIME_ZONE_IGNORED: {
    severity: 'warning',
    property: 'database.hostname',
    message:
      '{property}={value} has no effect: TIMESTAMP columns are read as instants, whatever the time zone of the server (it is {zone}) or of a session, and DATETIME columns have no zone.',
    action: 'Remove the property.',
  },
  PRIVILEGE_REPLICATION_SLAVE: {
    severity: 'error',
    recoverable: true,
    property: 'database.user',
    message: 'The user {account} may not read the binlog of {address}: the privilege REPLICATION SLAVE is missing.',
    action: 'Run: {statement}',
    statement: 'GRANT REPLICATION SLAVE ON *.* TO {account};',
  },
  PRIVILEGE_REPLICATION_CLIENT: {
    severity: 'error',
    recoverable: true,
    property: 'database.user',
    message:
      'The user {account} may not ask {address} for the position of its binlog: the privilege {privilege} is missing.',
    action: 'Run: {statement}',
    statement: 'GRANT {privilege} ON *.* TO {account};',
  },
  PRIVILEGE_SELECT: {
    severity: 'error',
    recoverable: true,
    property: 'database.user',
    message: 'The user {account} may not read {tables} on {address}: the privilege SELECT is missing.',
    action: 'Run: {statement}',
    statement: '{statements}',
  },
  PRIVILEGE_LOCK: {
    severity: 'error',
    recoverable: true,
    property: 'database.user',
    className: 'io.debezium.DebeziumException',
    message:
      "User does not have the 'LOCK TABLES' privilege required to obtain a consistent snapshot by preventing concurrent writes to tables: {account} has neither RELOAD nor LOCK TABLES on {databases} at {address}, and snapshot.locking.mode={mode} needs one of them.",
    action: 'Run: {statement} or set snapshot.locking.mode=none.',
    statement: 'GRANT RELOAD ON *.* TO {account};',
  },
  SNAPSHOT_WITHOUT_LOCK: {
    severity: 'warning',
    property: 'database.user',
    message:
      '{account} has neither RELOAD nor LOCK TABLES on {databases} at {address}, so the snapshot takes no lock, as with snapshot.locking.mode=none: rows are copied in chunks while the stream runs.',
    action: 'To read all tables as of one moment, run: {statement}',
    statement: 'GRANT RELOAD ON *.* TO {account};',
  },
  PRIVILEGE_SHOW_DATABASES: {
    severity: 'error',
    recoverable: true,
    property: 'database.user',
    message:
      'The user {account} may not list the databases of {address}, which has skip_show_database on: the privilege SHOW DATABASES is missing.',
    action: 'Run: {statement}',
    statement: 'GRANT SHOW DATABASES ON *.* TO {account};',
  },
  INCLUDES_UNMATCHED: {
    severity: 'warning',
    property: 'table.include.list',
    message: 'No {kind} that {account} may see on {address} matches {entries} of {property}.',
    action:
      'An entry is a regular expression for the whole of {form}; compare it with the result of {query}, run as that user. A {kind} that is created later is captured when it matches.',
  },
  NOTHING_CAPTURED: {
    severity: 'warning',
    property: 'table.include.list',
    message: 'The include and exclude lists match no table that {account} may see on {address}.',
    action:
      'Compare database.include.list and table.include.list with the results of SHOW DATABASES and SHOW TABLES, run as that user. A table that is created later is captured when it matches.',
  },
  TABLE_WITHOUT_KEY: {
    severity: 'warning',
    property: 'table.include.list',
    message:
      'No primary key and no unique key without NULLs: {tables}. Events of such tables have no key, so they spread over partitions without order, and compaction keeps none of them.',
    action: 'Give them a key, for instance: {statement} or exclude them by table.exclude.list.',
    statement: '{statements}',
  },
  COLUMNS_UNREADABLE: {
    severity: 'error',
    property: 'table.include.list',
    message:
      'This version cannot convert the values of these columns: {columns}. The task fails when it reads rows of their tables.',
    action:
      'Exclude the columns by column.exclude.list, or the tables by table.exclude.list; or set event.processing.failure.handling.mode=warn, with which events have the raw bytes of such columns.',
  },
  COLUMNS_RAW: {
    severity: 'warning',
    property: 'table.include.list',
    message:
      'This version cannot convert the values of these columns, and events have their raw bytes: {columns}. Events of a snapshot contain the bytes that the server sends; those of the stream contain the bytes of the binlog, which may differ.',
    action: 'If no consumer needs them, exclude the columns by column.exclude.list.',
  },
  TLS_REQUIRED: {
    severity: 'error',
    recoverable: true,
    property: 'database.ssl.mode',
    message:
      'The database at {address} accepts encrypted connections only (require_secure_transport=ON), and database.ssl.mode={mode} asks for a plain one.',
    action: 'Set database.ssl.mode={better}.',
  },
  TLS_ABSENT: {
    severity: 'warning',
    property: 'database.ssl.mode',
    message:
      'The server {address} offers no TLS, so the connection is not encrypted; database.ssl.mode={mode} allows that.',
    action:
      'Whoever can read or change the traffic on the way to it can do so with all rows. Give the server a certificate (ssl_cert, ssl_key and ssl_ca in the section [mysqld] of its configuration file), and set database.ssl.mode=verify_identity and database.ssl.truststore. Ignore this warning if the network itself is protected.',
  },
  TLS_UNUSED: {
    severity: 'warning',
    property: 'database.ssl.mode',
    message:
      'The connection to the server {address} is not encrypted (database.ssl.mode={mode}): whoever can read or change the traffic on the way to it can do so with all rows.',
    action:
      'Set database.ssl.mode={better}, and database.ssl.truststore to the certificate of its authority (PEM). Ignore this warning if the network itself is protected.',
  },
  SPOOL_DIR_UNUSABLE: {
    severity: 'error',
    property: 'binlog.spool.dir',
    message: 'The folder {folder} for the spool of the binlog cannot be used: {reason}.',
    action: 'Name a folder that the worker may create and write to, or remove binlog.spool.dir.',
  },
  SPOOL_DIR_SMALL: {
    severity: 'warning',
    property: 'binlog.spool.dir',
    message:
      'The disk of {folder}, for the spool of the binlog, has {free} bytes, fewer than binlog.spool.max.bytes ({max}).',
    action:
      'Make room on it, or decrease binlog.spool.max.bytes: on a full disk the task stops reading as with a full spool, and other programs fail.',
  },
  SPOOL_DIR_IN_MEMORY: {
    severity: 'warning',
    property: 'binlog.spool.dir',
    message:
      'The folder {folder} for the spool of the binlog is in memory (tmpfs), and empty after a restart of the machine.',
    action: 'Name a folder on a disk.',
  },
  PRE_FLIGHT_LATE: {
    severity: 'error',
    recoverable: true,
    property: 'database.hostname',
    message: 'The database at {address} did not answer within {seconds} s while {doing}.',
    action: 'Check which statements it is running (SHOW FULL PROCESSLIST), then try again.',
  },
} as const

export type FindingCode = keyof typeof definitions

export const findingDefinitions: Readonly<Record<FindingCode, FindingDefinition>> = definitions

/** The texts of the findings as errors, for the reference page. */
export const preFlightErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
