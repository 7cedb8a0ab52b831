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
} as const

/** Errors of the command line. */
export const cliErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
