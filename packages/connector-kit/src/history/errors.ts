import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  HISTORY_UNREACHABLE: {
    className: 'io.debezium.relational.history.SchemaHistoryException',
    message:
      'No Kafka broker at {servers}, as schema.history.internal.kafka.bootstrap.servers says, has done what was asked about the schema history topic {topic} within {seconds} s.',
    action:
      'It is tried again for as long as it takes. See that the brokers run and can be reached from the worker, and what the log says of them. If the property is wrong, correct it: mostly these are the brokers of the worker.',
    retriable: true,
  },
} as const

/** Errors of the schema history. */
export const historyErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
