import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  VERIFY_CONVERTER: {
    message: 'Records of {property}={className} cannot be compared with a table.',
    action: 'Comparisons read JSON (JsonConverter) and Avro (AvroConverter) only.',
  },
  VERIFY_RECORD: {
    message: 'The {side} of the record at {topic}-{partition}, offset {offset}, cannot be read.',
    action:
      'Compare the converter of the connector with the record: another program may have written to the topic, or the converter was changed.',
  },
  VERIFY_STREAM_STOPPED: {
    message: 'The connector {connector} is {state}: it does not reach {position}, where the table was read.',
    action: 'Resume the connector, and start the comparison again.',
  },
  VERIFY_STREAM_LATE: {
    message:
      'The stored offset of the connector {connector} has not reached {position}, where the table was read, and has not moved for {seconds} s. It is {offset}.',
    action:
      'Find out why the connector lags (GET /connectors/{connector}/status, its log), and start the comparison again.',
  },
  VERIFY_POSITION: {
    message: 'The database server at {address} does not report its binlog position ({statement}).',
    action: 'Check that its binary log is on, and that the user may read the position.',
  },
  VERIFY_TABLES: {
    message: 'The connector {connector} does not capture {tables}.',
    action: 'Name tables as database.table, as they are in its topics.',
  },
  VERIFY_TRANSFORMS: {
    message: 'The connector {connector} has the transformations {transforms}: its records are not those of the tables.',
    action:
      'Comparisons read the records as the connector makes them. Compare a connector whose transformations change headers only (InsertHeader, DropHeaders, HeaderFrom with operation=copy).',
  },
  VERIFY_OPERATIONS: {
    message:
      'The connector {connector} leaves out changes ({property}), so that its topics are not copies of its tables.',
    action: 'Without this property, the topics can be compared.',
  },
  VERIFY_BROKERS_SILENT: {
    message: 'No broker has answered for {seconds} s, so topic {topic} cannot be read.',
    action: 'Check that the brokers run and that the worker reaches them (bootstrap.servers); its log has details.',
  },
} as const

/** What ends a comparison, or the reading of a topic for the page. */
export const verifyErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
