import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  HISTORY_UNREACHABLE: {
    className: 'io.debezium.relational.history.SchemaHistoryException',
    message:
      'No Kafka broker at {servers}, as schema.history.internal.kafka.bootstrap.servers says, has done what was asked about the schema history topic {topic} within {seconds} s.',
    action:
      'Correct the property: mostly these are the brokers of the worker. If it is right, see that they run and can be reached from the worker, and what the log says of them; then restart the task.',
  },
} as const

/** Errors of the schema history. */
export const historyErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
