import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  WATCH_NO_BROKER: {
    message: 'No Kafka broker is named.',
    action: 'Set BOOTSTRAP_SERVERS=host:port in the environment, or use --bootstrap-server host:port.',
  },
  WATCH_NOTHING_THERE: {
    message: 'Topic {topic} could not be read within {timeoutMs} ms.',
    action:
      'Check the name of the topic (<topic.prefix>.<database>.<table>) and the address of the broker, or wait longer with --timeout-ms.',
  },
  DEV_BROKER_SETTING: {
    message: 'The setting {setting} contradicts --dev-broker, which starts a broker of its own without a login.',
    action: 'Remove the setting from the properties file or the environment, or start without --dev-broker.',
  },
  DEV_BROKER_ABSENT: {
    message: 'The option {option} is for the development broker, which is not started.',
    action: 'Add --dev-broker, or remove the option.',
  },
  DEV_BROKER_FAILED: {
    message: 'The development broker has failed: {reason}.',
    action: 'Start the command again; with --data it continues where it was. See the lines of the log before this one.',
  },
  DEV_NO_URL: {
    message: 'No database is named, and there is no terminal to ask on.',
    action: 'Write tributary dev mysql://user@host:port/database, with the password in MYSQL_PWD or --password-file.',
  },
  DEV_NOTHING_LEFT: {
    message: 'The folder {folder} of --data has no connector left.',
    action: 'Name a database: tributary dev --data {folder} mysql://user@host:port/database.',
  },
  DEV_REST_PORT: {
    message: 'The worker cannot listen on port {port} of --rest-port: another program already listens there.',
    action: 'Stop that program, choose another port, or leave the option out: then a free port is used.',
  },
  DEV_FOLDER: {
    message: 'The file {path} {reason}.',
    action: 'Choose another folder with --data, or remove the file: then name the databases again.',
  },
  DEV_REFUSED: {
    message: 'The connector {connector} was not registered: {reason}.',
    action: 'Correct in the URL or with --set what the reason names, and start the command again.',
  },
  DATABASE_URL: {
    message: 'The database {url} cannot be read: {reason}.',
    action:
      'Write mysql://user@host:port/database.table. The command asks for the password, or takes it from --password-file, from MYSQL_PWD, or from the URL with special characters encoded (%40 for @).',
  },
  PROPERTY_SET: {
    message: '--set {text} cannot be used: {reason}.',
    action: 'The help of the command has its options; the reference of the connector has the properties.',
  },
  PASSWORD_FILE: {
    message: 'The password cannot be read from the file {path}: {reason}.',
    action: 'Write the password alone into a file that this user can read.',
  },
  TAIL_SINCE: {
    message: '--since {since} cannot be used: {reason}.',
    action:
      'Write a duration (90s, 10m, 2h, 1d), a time with its zone (2026-11-26T08:00:00Z), a GTID set of MySQL or a GTID position of MariaDB, or a binlog file and a position (binlog.000003:4096).',
  },
  TAIL_WHERE: {
    message: '--where cannot be used: {reason}.',
    action:
      'Write a condition on the document of a change, such as value.after?.id > 100; before or after is null where a change has no such row (after: op d and t).',
  },
  TAIL_SAVE: {
    message: 'The file {path} of --save {reason}.',
    action: 'Name a file that can be written, one for each database, table and reader; or remove it to start anew.',
  },
  TAIL_ROW: {
    message:
      'No statement can repeat the change of {table} at {place}: the binlog has neither the key of the row nor all of its columns.',
    action:
      'Set binlog_row_image=FULL on the server and in every session that sets it, and start after that place with --since. Copy the table to the target again, which lacks the change.',
  },
  TAIL_INCOMPLETE: {
    message: 'The statements end here: a change is missing, for the reason above, and later statements may need it.',
    action:
      'Remove the cause as the message above describes, and bring the target to the state of the source: copy the table again, or start anew with --snapshot. Without that table, its database can be read with --set table.exclude.list=database.table.',
  },
  TAIL_UNFINISHED: {
    message: 'The file {path} of --save contains the position of a snapshot that did not complete.',
    action: 'Add --snapshot to take it again from its beginning, or remove the file to start with the next change.',
  },
  DATABASE_REFUSED: {
    message: 'The database failed the checks listed above (errors: {count}).',
    action: 'Run the statements as an administrator of the database, and start the command again.',
  },
  SERVICE_URL_INVALID: {
    message: '{url} is not the address of a service: {reason}.',
    action: 'Use --url http://host:port, or set TRIBUTARY_URL (rehearse: --from and --to).',
  },
  SERVICE_UNREACHABLE: {
    message: 'No service answers at {url}: {reason}.',
    action: 'Start it with tributary start, or set its address: --url http://host:port, or TRIBUTARY_URL.',
    retriable: true,
  },
  SERVICE_LATE: {
    message: 'The service at {url} has not answered {request} within {seconds} s.',
    action: 'It may have carried out the request all the same: check its log and tributary connectors status.',
    retriable: true,
  },
  SERVICE_FOREIGN: {
    message: 'The program that answers at {url} is not a Connect worker: {reason}.',
    action: 'Check the address; a proxy in front of the service may have answered instead.',
  },
  SERVICE_LOGIN: {
    message: 'The worker at {url} needs a login{reason}.',
    action: 'Use --url http://name:password@host:port, with https:// for an HTTPS listener, or set TRIBUTARY_URL.',
  },
  CONNECTOR_DOCUMENT: {
    message: '{file} is not a valid connector document: {reason}.',
    action:
      'A connector document is JSON with name and config, or with the properties alone (and --name); a .properties file; YAML with Strimzi’s KafkaConnector; ksqlDB’s CREATE SOURCE CONNECTOR; or Terraform’s confluent_connector or kafka-connect_connector.',
  },
  SIGNAL_DATA: {
    message: '--data is not JSON: {reason}.',
    action: 'Write an object in single quotes, as in the help of the command.',
  },
  SIGNAL_STATEMENT: {
    message: '--where with --blocking is a SELECT of one table, and there are several: {tables}.',
    action: 'Run the command once for each table, each with its own SELECT.',
  },
  CONNECTOR_CLASS: {
    message: '{file} does not name a connector that can be used: {reason}.',
    action: 'Set connector.class to one of: {classes}.',
  },
  FILE_MISSING: {
    message: 'There is no file {path}.',
    action: 'Check the path; it is relative to the current folder, or absolute.',
  },
  SCHEMA_REFUSED_LATER: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'A schema registry will refuse the schema of a captured table: {reason}.',
    // The reason contains the action.
    action: '',
  },
  REHEARSE_SOURCE: {
    message: 'Nothing says where Kafka Connect is.',
    action:
      'Use --from http://host:port, or, without its REST interface, --config-topic and --offset-topic with the names of its internal topics.',
  },
  REHEARSE_NO_BROKER: {
    message: 'No Kafka broker is named.',
    action: 'Use --bootstrap-servers host:port, or set BOOTSTRAP_SERVERS in the environment.',
  },
  REHEARSE_SET: {
    message: '--set {text} is not of the form PROPERTY=VALUE.',
    action: 'Write --set database.password=… with the value after the first =.',
  },
  OTLP_SETTING: {
    message: '{variable} cannot be used: {reason}.',
    action: 'Correct the variable, or remove it, and restart the worker.',
  },
  OTLP_REFUSED: {
    message: 'The receiver of OTLP at {url} did not accept the metrics: {reason}.',
    action: 'Check that it is running, OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.',
    retriable: true,
  },
  CONNECTOR_NOT_SETTLED: {
    message: 'Connector {connector} is not {goal} after {seconds} s: {state}.',
    action: 'Check the log of the service, or wait longer with --wait-seconds.',
    retriable: true,
  },
} as const

/** Errors of the command line. */
export const cliErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
