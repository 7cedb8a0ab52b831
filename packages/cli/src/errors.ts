import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  WATCH_NO_BROKER: {
    message: 'No Kafka broker is named.',
    action: 'Set BOOTSTRAP_SERVERS=host:port in the environment, or give --bootstrap-server host:port.',
  },
  WATCH_NOTHING_THERE: {
    message: 'Topic {topic} could not be read within {timeoutMs} ms.',
    action:
      'Check the name of the topic (<topic.prefix>.<database>.<table>) and the address of the broker, or wait longer with --timeout-ms.',
  },
  SERVICE_URL_INVALID: {
    message: '{url} is no address of a service: {reason}.',
    action: 'Give --url http://host:port, or set TRIBUTARY_URL.',
  },
  SERVICE_UNREACHABLE: {
    message: 'No service answers at {url}: {reason}.',
    action: 'Start it (tributary start), or give its address: --url http://host:port, or TRIBUTARY_URL.',
    retriable: true,
  },
  SERVICE_LATE: {
    message: 'The service at {url} has not answered {request} within {seconds} s.',
    action: 'Look at its log, and with tributary connectors status whether it was done all the same.',
    retriable: true,
  },
  SERVICE_FOREIGN: {
    message: 'What answers {request} at {url} is no Connect worker: {reason}.',
    action: 'Check the address; a proxy in front of the service may have answered in its place.',
  },
  CONNECTOR_DOCUMENT: {
    message: '{file} is no connector document: {reason}.',
    action: 'It is a JSON object of name and config, or of the properties alone with --name.',
  },
  FILE_MISSING: {
    message: 'There is no file {path}.',
    action: 'Give its path from the current folder, or in full.',
  },
  SCHEMA_REFUSED_LATER: {
    className: 'org.apache.kafka.common.errors.SerializationException',
    message: 'A schema registry will refuse what a captured table gives as it is now: {reason}.',
    // The reason says what to do.
    action: '',
  },
  CONNECTOR_NOT_SETTLED: {
    message: 'Connector {connector} is not {goal} after {seconds} s: {state}.',
    action: 'Look at the log of the service, or wait longer with --wait-seconds.',
    retriable: true,
  },
} as const

/** Errors of the command line. */
export const cliErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
