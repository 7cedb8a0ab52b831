import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  TOPIC_NAME_REFUSED: {
    message:
      "topic.regex and topic.replacement send the events of the table {table} to the topic '{name}', but Kafka refuses that name: it permits letters, digits, dots, underscores and hyphens, at most 249.",
    action: 'Correct topic.replacement in the configuration of the connector; its task then starts again.',
  },
} as const

/** Errors of the names of topics. */
export const namingErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
