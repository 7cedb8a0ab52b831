import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  HISTORY_UNREACHABLE: {
    className: 'io.debezium.relational.history.SchemaHistoryException',
    message:
      'No Kafka broker at {servers} (schema.history.internal.kafka.bootstrap.servers) has answered the requests about the schema history topic {topic} within {seconds} s.',
    action:
      'The task retries until a broker answers. Check that the brokers run and that the worker can reach them; the log has the errors of each connection. If the property is wrong, correct it: in most installations these are the brokers of the worker.',
    retriable: true,
  },
  HISTORY_TOPIC_POLICY: {
    className: 'io.debezium.relational.history.SchemaHistoryException',
    message:
      "The schema history topic {topic} has 'cleanup.policy={policy}' and needs 'delete': its records have no keys, so that a compacted topic refuses them.",
    action: 'Run: {command} cleanup.policy=delete,retention.ms=9223372036854775807,retention.bytes=-1',
    recoverable: true,
  },
} as const

/** Errors of the schema history. */
export const historyErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
