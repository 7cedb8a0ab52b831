import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  CLUSTER_UNREACHABLE: {
    message: 'No Kafka broker answers at {servers}: {reason}.',
    action: 'Check {setting}, the network, and that the brokers are running.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.TimeoutException',
  },
  BROKER_UNREACHABLE: {
    message: 'Broker {broker} is unreachable: {reason}.',
    action: 'Check that the broker is running and that its advertised listener is reachable from this host.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.DisconnectException',
  },
  CONNECTION_LOST: {
    message: 'The connection to broker {broker} was lost: {reason}.',
    action: 'The client reconnects by itself. If this repeats, look at the log of the broker.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.DisconnectException',
  },
  REQUEST_TIMED_OUT: {
    message: 'Broker {broker} did not answer a {request} request within {timeoutMs} ms.',
    action: 'Check the load of the broker and the network. The limit is request.timeout.ms.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.TimeoutException',
  },
  NOT_A_BROKER: {
    message: '{broker} does not speak the Kafka protocol: {reason}.',
    action:
      'Check host and port, and that security.protocol matches the listener (SSL or SASL_SSL for a listener with TLS).',
    recoverable: true,
  },
  BROKER_TOO_OLD: {
    message: 'Broker {broker} supports {request} in versions {offered}, Tributary needs version {needed}.',
    action: 'Use Apache Kafka 2.8 or newer, or a compatible service, and the port of a broker, not of a controller.',
    className: 'org.apache.kafka.common.errors.UnsupportedVersionException',
  },
  TLS_REFUSED: {
    message: 'The TLS handshake with broker {broker} failed: {reason}.',
    action: '{remedy}',
    className: 'org.apache.kafka.common.errors.SslAuthenticationException',
    recoverable: true,
  },
  KAFKA_UNENCRYPTED: {
    message:
      'The connection to broker {broker} is not encrypted: whoever can read or change the traffic on the way to it can do so with all records{password}.',
    action:
      'Set {setting} to {protocol}, with the port of a listener that uses TLS. Ignore this warning if the network itself is protected.',
  },
  AUTHENTICATION_FAILED: {
    message: 'Broker {broker} rejected user {user} with {mechanism}: {reason}.',
    action: '{remedy}',
    className: 'org.apache.kafka.common.errors.SaslAuthenticationException',
    recoverable: true,
  },
  TOKEN_UNAVAILABLE: {
    message: 'The token endpoint {url} returned no token for the login to Kafka: {reason}.',
    action: 'The client tries again. Check {setting}, the network, and that the identity provider is running.',
    retriable: true,
    className: 'org.apache.kafka.common.security.oauthbearer.JwtRetrieverException',
  },
  TOKEN_REFUSED: {
    message: 'The token endpoint {url} refused the request of client {client}: {reason}.',
    action: '{remedy}',
    className: 'org.apache.kafka.common.security.oauthbearer.JwtRetrieverException',
    recoverable: true,
  },
  TOKEN_INVALID: {
    message: 'The token of {source} cannot be used for the login to Kafka: {reason}.',
    action: '{remedy}',
    className: 'org.apache.kafka.common.security.oauthbearer.JwtValidatorException',
    recoverable: true,
  },
  TOKEN_ENDPOINT_UNENCRYPTED: {
    message:
      'The connection to the token endpoint {url} is not encrypted: whoever can read the traffic on the way to it can use the secret and the tokens of this client.',
    action:
      'Set sasl.oauthbearer.token.endpoint.url to an address with https. Ignore this warning if the network itself is protected.',
  },
  AWS_SIGNER_MISSING: {
    message: "The login to Amazon MSK needs AWS's own package {packageName}, which is not installed.",
    action:
      'Install it where Tributary is installed (npm install --global {packageName}@{version}, or without --global in the folder of the program), and start the worker again.',
  },
  AWS_CREDENTIALS_MISSING: {
    message: 'AWS returned no credentials for the login to Amazon MSK ({credentials}): {reason}.',
    action:
      'The client tries again. Check awsProfileName and awsRoleArn in sasl.jaas.config, AWS_… in the environment, and the role of the machine or container.',
    retriable: true,
  },
  SASL_MECHANISM_DISABLED: {
    message: 'Broker {broker} does not offer {mechanism} on this listener, only: {offered}.',
    action: 'Set sasl.mechanism to one of these, or use another listener.',
    className: 'org.apache.kafka.common.errors.UnsupportedSaslMechanismException',
    recoverable: true,
  },
  REQUEST_REFUSED: {
    message: 'The broker refused {request} of {subject}: {error} ({reason}).',
    action: 'Fix what the broker names and try again.',
    className: 'org.apache.kafka.common.KafkaException',
    recoverable: true,
  },
  REQUEST_NOT_READY: {
    message: 'The broker cannot serve {request} of {subject} yet: {error} ({reason}).',
    action: 'The client retries by itself.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.RetriableException',
  },
  NOT_AUTHORIZED: {
    message: 'The user of this client has no permission for {request} on {subject}: {error}.',
    action: 'Grant the permission in the access control list (ACL) of the cluster.',
    className: 'org.apache.kafka.common.errors.AuthorizationException',
    recoverable: true,
  },
  UNKNOWN_TOPIC: {
    message: 'Topic {topic} does not exist{waited}.',
    action: 'Create it, or let the brokers create it (auto.create.topics.enable).',
    className: 'org.apache.kafka.common.errors.UnknownTopicOrPartitionException',
    recoverable: true,
  },
  INVALID_TOPIC: {
    message: 'The broker does not accept {topic} as a topic name.',
    action: 'Use up to 249 letters, digits, dots, underscores and hyphens.',
    className: 'org.apache.kafka.common.errors.InvalidTopicException',
  },
  TOPIC_NOT_READY: {
    message: 'Topic {topic} has no leader for each partition yet: {error}.',
    action: 'The client waits for the election.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.LeaderNotAvailableException',
  },
  UNKNOWN_PARTITION: {
    message: 'Topic {topic} has {count} partitions; partition {partition} does not exist.',
    action: 'Choose a partition from 0 to one less than that number.',
    className: 'org.apache.kafka.common.errors.UnknownTopicOrPartitionException',
  },
  RECORD_TOO_LARGE: {
    message:
      'A record for topic {topic} (key {keyBytes} bytes, value {valueBytes} bytes) needs {bytes} bytes as a batch; {limitName} allows {limit}.',
    action:
      'Raise max.message.bytes of the topic or message.max.bytes of the brokers (and max.request.size of the producer if it is set), or exclude large columns. With errors.record.too.large the connector skips such records, or replaces their largest fields.',
    className: 'org.apache.kafka.common.errors.RecordTooLargeException',
    recoverable: true,
  },
  RECORD_REFUSED: {
    message: 'The broker refused records for {topic}-{partition}: {error} ({reason}).',
    action: 'Fix what the broker names; for example, a compacted topic accepts no record without a key.',
    className: 'org.apache.kafka.common.InvalidRecordException',
    recoverable: true,
  },
  RECORDS_NOT_WRITTEN: {
    message: 'The brokers do not acknowledge records for {subject}: {error} ({reason}).',
    action:
      'The client sends them again until a broker acknowledges them. If this lasts, check the brokers, their disks and the replicas of the topic.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.RetriableException',
  },
  SEQUENCE_LOST: {
    message:
      'The broker answered {error} for {topic}-{partition}: it no longer knows what this producer wrote, and a batch of {records} records may or may not have been written.',
    action:
      'The partition may have lost acknowledged records (unclean leader election, disk failure), which are not sent again: check the log of the brokers. Then restart the task, which sends the unacknowledged records again.',
    className: 'org.apache.kafka.common.errors.OutOfOrderSequenceException',
  },
  DELIVERY_TIMEOUT: {
    message: '{records} records for {topic}-{partition} were not acknowledged within {timeoutMs} ms: {reason}.',
    action: 'Check why the brokers do not acknowledge. The limit is delivery.timeout.ms.',
    className: 'org.apache.kafka.common.errors.TimeoutException',
    recoverable: true,
  },
  WRITES_SUSPENDED: {
    message:
      'Requests to broker {broker} were dropped, because this worker cannot confirm at the moment that it is the only one that runs this task.',
    action: 'The client sends them again as soon as the worker has confirmed it.',
    retriable: true,
    className: 'org.apache.kafka.common.errors.RetriableException',
  },
  PRODUCER_FENCED: {
    message:
      'The producer with the transactional id {id} may not write any more ({error}): another producer has taken over the id, or a transaction took longer than transaction.timeout.ms and the broker has aborted it.',
    action:
      'Nothing of the open transaction is visible to consumers with isolation.level=read_committed. Make sure that no other worker outside of the group uses this id; if transactions take too long, raise transaction.timeout.ms of the producer.',
    className: 'org.apache.kafka.common.errors.ProducerFencedException',
  },
  TRANSACTION_TIMEOUT_INVALID: {
    message:
      'The broker refuses transactions of up to {timeoutMs} ms for the transactional id {id}: its transaction.max.timeout.ms is less.',
    action:
      'Lower transaction.timeout.ms of the producer (producer.transaction.timeout.ms of the worker, producer.override.transaction.timeout.ms of the connector), or raise the limit of the brokers.',
    className: 'org.apache.kafka.common.errors.InvalidTxnTimeoutException',
  },
  PRODUCER_CLOSED: {
    message: 'The producer is closed.',
    action: 'Send records before closing it.',
    className: 'java.lang.IllegalStateException',
  },
  OFFSET_OUT_OF_RANGE: {
    message:
      'Offset {offset} of {topic}-{partition} was deleted or does not exist yet: the partition holds {start} to {end}.',
    action: 'Start from another offset. The retention of the topic deleted the records before the first one.',
    className: 'org.apache.kafka.clients.consumer.OffsetOutOfRangeException',
  },
  CORRUPT_RECORDS: {
    message: 'The records of {where} cannot be read: {reason}.',
    action:
      'Check the log of the partition with kafka-dump-log; if necessary, copy the topic without the damaged batch.',
    className: 'org.apache.kafka.common.errors.CorruptRecordException',
  },
  SETTING_MISSING: {
    message: 'The setting {name} is missing{why}.',
    action: 'Set it.',
    className: 'org.apache.kafka.common.config.ConfigException',
  },
  SETTING_INVALID: {
    message: 'Invalid value {value} for configuration {name}: {reason}.',
    action: 'Correct it.',
    className: 'org.apache.kafka.common.config.ConfigException',
  },
  SETTING_UNSUPPORTED: {
    message: 'The setting {name} = {value} is not supported: {reason}.',
    action: '{instead}',
    className: 'org.apache.kafka.common.config.ConfigException',
  },
} as const

/**
 * Errors of the Kafka client. It retries after a `retriable` one; the caller sees such an error only as a cause, in the
 * log, or when its own time limit expires.
 */
export const kafkaErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
