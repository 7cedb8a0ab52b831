import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  CLUSTER_UNREACHABLE: {
    message: 'no Kafka broker answers at {servers}: {reason}.',
    action: 'Check {setting}, that the brokers run, and the network between.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.TimeoutException',
  },
  BROKER_UNREACHABLE: {
    message: 'broker {broker} cannot be reached: {reason}.',
    action: 'Check that it runs and that its advertised listener can be reached from here.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.DisconnectException',
  },
  CONNECTION_LOST: {
    message: 'the connection to broker {broker} was lost: {reason}.',
    action: 'It is opened again by itself; when this goes on, look at the log of the broker.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.DisconnectException',
  },
  REQUEST_TIMED_OUT: {
    message: 'broker {broker} did not answer a {request} request within {timeoutMs} ms.',
    action: 'Look at the load of the broker and at the network; request.timeout.ms sets how long is waited.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.TimeoutException',
  },
  NOT_A_BROKER: {
    message: '{broker} does not speak the Kafka protocol: {reason}.',
    action: 'Check host and port, and that security.protocol fits the listener (SSL or SASL_SSL for one with TLS).',
  },
  BROKER_TOO_OLD: {
    message: 'broker {broker} speaks {request} in versions {offered}, Tributary needs version {needed}.',
    action:
      'Use Apache Kafka 2.8 or newer, or a service that is compatible with it; and the port of a broker, not that of a controller.',
    className: 'org.apache.kafka.common.errors.UnsupportedVersionException',
  },
  TLS_REFUSED: {
    message: 'the TLS handshake with broker {broker} failed: {reason}.',
    action:
      'Check ssl.truststore.*, ssl.keystore.* and ssl.endpoint.identification.algorithm, and that the listener has TLS.',
    className: 'org.apache.kafka.common.errors.SslAuthenticationException',
  },
  AUTHENTICATION_FAILED: {
    message: 'broker {broker} refused user {user} by {mechanism}: {reason}.',
    action: 'Check user and password in sasl.jaas.config.',
    className: 'org.apache.kafka.common.errors.SaslAuthenticationException',
  },
  SASL_MECHANISM_DISABLED: {
    message: 'broker {broker} does not offer {mechanism} on this listener, only: {offered}.',
    action: 'Set sasl.mechanism to one of these, or use another listener.',
    className: 'org.apache.kafka.common.errors.UnsupportedSaslMechanismException',
  },
  REQUEST_REFUSED: {
    message: 'the broker refused {request} of {subject}: {error} ({reason}).',
    action: 'Mend what the broker names and try again.',
    className: 'org.apache.kafka.common.KafkaException',
  },
  REQUEST_NOT_READY: {
    message: 'the broker cannot serve {request} of {subject} yet: {error} ({reason}).',
    action: 'It is asked again by itself.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.RetriableException',
  },
  NOT_AUTHORIZED: {
    message: 'the user of this client may not do {request} on {subject}: {error}.',
    action: 'Grant the right by an access control list of the cluster.',
    className: 'org.apache.kafka.common.errors.AuthorizationException',
  },
  UNKNOWN_TOPIC: {
    message: 'topic {topic} does not exist{waited}.',
    action: 'Create it, or let the brokers create it (auto.create.topics.enable).',
    className: 'org.apache.kafka.common.errors.UnknownTopicOrPartitionException',
  },
  INVALID_TOPIC: {
    message: 'the broker does not take {topic} as the name of a topic.',
    action: 'Use up to 249 letters, digits, dots, underscores and hyphens.',
    className: 'org.apache.kafka.common.errors.InvalidTopicException',
  },
  TOPIC_NOT_READY: {
    message: 'topic {topic} has no leader for each partition yet: {error}.',
    action: 'It is waited for.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.LeaderNotAvailableException',
  },
  UNKNOWN_PARTITION: {
    message: 'topic {topic} has {count} partitions, there is no partition {partition}.',
    action: 'Choose a partition between 0 and one below that number.',
    className: 'org.apache.kafka.common.errors.UnknownTopicOrPartitionException',
  },
  RECORD_TOO_LARGE: {
    message:
      'a record for topic {topic} (key {keyBytes} bytes, value {valueBytes} bytes) needs {bytes} bytes as a batch; {limitName} allows {limit}.',
    action:
      'Raise max.message.bytes of the topic or message.max.bytes of the brokers (and max.request.size of the producer when it is set), or leave out large columns.',
    className: 'org.apache.kafka.common.errors.RecordTooLargeException',
  },
  RECORD_REFUSED: {
    message: 'the broker refused records for {topic}-{partition}: {error} ({reason}).',
    action: 'Mend what the broker names; a compacted topic, for example, takes no record without a key.',
    className: 'org.apache.kafka.common.InvalidRecordException',
  },
  SEQUENCE_LOST: {
    message:
      'the broker answers {error} for {topic}-{partition}: it no longer knows what this producer wrote, and a batch of {records} records may or may not have been written.',
    action:
      'Start again: what was not acknowledged is sent again. The partition may have lost acknowledged records (unclean leader election, broken disk): look at the log of the brokers.',
    className: 'org.apache.kafka.common.errors.OutOfOrderSequenceException',
  },
  DELIVERY_TIMEOUT: {
    message: '{records} records for {topic}-{partition} were not acknowledged within {timeoutMs} ms: {reason}.',
    action: 'Look at what the brokers lack; delivery.timeout.ms sets how long is waited.',
    className: 'org.apache.kafka.common.errors.TimeoutException',
  },
  PRODUCER_CLOSED: {
    message: 'the producer is closed.',
    action: 'Send before it is closed.',
    className: 'java.lang.IllegalStateException',
  },
  OFFSET_OUT_OF_RANGE: {
    message: 'offset {offset} of {topic}-{partition} is gone or not there yet: the partition holds {start} to {end}.',
    action: 'Start from another offset; records before the first were deleted by the retention of the topic.',
    className: 'org.apache.kafka.clients.consumer.OffsetOutOfRangeException',
  },
  CORRUPT_RECORDS: {
    message: 'the records of {where} cannot be read: {reason}.',
    action: 'Check the log of the partition with kafka-dump-log; copy the topic without the damaged batch if need be.',
    className: 'org.apache.kafka.common.errors.CorruptRecordException',
  },
  SETTING_MISSING: {
    message: 'the setting {name} is missing{why}.',
    action: 'Set it.',
    className: 'org.apache.kafka.common.config.ConfigException',
  },
  SETTING_INVALID: {
    message: 'Invalid value {value} for configuration {name}: {reason}.',
    action: 'Correct it.',
    className: 'org.apache.kafka.common.config.ConfigException',
  },
  SETTING_UNSUPPORTED: {
    message: 'the setting {name} = {value} is not supported: {reason}.',
    action: '{instead}',
    className: 'org.apache.kafka.common.config.ConfigException',
  },
} as const

/**
 * Errors of the broker port. Those that are `retriable` are waited out inside; a caller meets them only as causes, in log
 * lines, or when its own limit of time is over.
 */
export const kafkaErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
