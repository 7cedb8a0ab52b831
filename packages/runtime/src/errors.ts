import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  WORKER_NO_BROKER: {
    message: 'No Kafka broker is configured.',
    action:
      'Set BOOTSTRAP_SERVERS=host:port in the environment, or bootstrap.servers in the properties file given to `tributary start`.',
  },
  WORKER_SETTING_MISSING: {
    message: 'The setting {property} is missing: {meaning}.',
    action: 'Set {variable} in the environment, or {property} in the properties file given to `tributary start`.',
  },
  WORKER_SETTING_INVALID: {
    message: 'The worker configuration is invalid: {reason}.',
    action: 'Correct it in the environment or in the properties file.',
  },
  WORKER_FILE_UNREADABLE: {
    message: 'The properties file {path} cannot be read: {reason}.',
    action: 'Name a file in the format of Kafka’s connect-distributed.properties.',
  },
  INTERNAL_TOPIC_POLICY: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message:
      "Topic '{topic}' supplied via the '{property}' property is required to have 'cleanup.policy=compact' to guarantee consistency and durability of {content}, but found the topic currently has 'cleanup.policy={policy}'. Continuing would likely result in eventually losing {content} and problems restarting this Connect cluster in the future.",
    action:
      "Change the '{property}' property in the worker configuration to use a topic with 'cleanup.policy=compact', or run: kafka-configs.sh --alter --entity-type topics --entity-name {topic} --add-config cleanup.policy=compact",
  },
  INTERNAL_TOPIC_PARTITIONS: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message:
      "Topic '{topic}' supplied via the '{property}' property is required to have a single partition in order to guarantee consistency of connector configurations, but found {count} partitions.",
    action: 'Name another topic; it is created with the right settings when it does not exist.',
  },
  PRODUCER_FAILED: {
    className: 'org.apache.kafka.connect.errors.ConnectException',
    message: 'Unrecoverable exception from producer send callback: {reason}.',
    action: 'Mend what the message names, then restart the task.',
  },
  RECORD_FAILED: {
    className: 'org.apache.kafka.connect.errors.ConnectException',
    message: 'A record for topic {topic} could not be {doing}: {reason}.',
    action: 'The source offset before it is kept; mend the cause, then restart the task.',
  },
  TASK_THREAD_ENDED: {
    className: 'org.apache.kafka.connect.errors.ConnectException',
    message: 'The thread of task {task} ended by itself: {reason}.',
    action: 'Restart the task; if it repeats, report it with the log.',
  },
  CLASS_UNKNOWN: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'Class {className} could not be found: there is no {kind} of that name.',
    action: 'Name one that GET /connector-plugins?connectorsOnly=false lists.',
  },
  OFFSET_VALUE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The stored offset of {connector} for {partition} is not a JSON object: {text}.',
    action: 'Delete the offset of the connector so that it starts anew.',
  },
} as const

/** Errors of the runtime. */
export const runtimeErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
