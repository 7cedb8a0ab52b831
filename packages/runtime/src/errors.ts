import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  WORKER_NO_BROKER: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'No Kafka broker is configured.',
    action:
      'Set BOOTSTRAP_SERVERS=host:port in the environment, or bootstrap.servers in the properties file given to `tributary start`.',
  },
  WORKER_SETTING_MISSING: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'The worker configuration is incomplete. Missing: {missing}.',
    action: 'Set {variables} in the environment, or {properties} in the properties file given to `tributary start`.',
  },
  WORKER_SETTING_INVALID: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'The worker configuration is invalid: {reason}.',
    action:
      'Correct {variables} in the environment, or {properties} in the properties file given to `tributary start`.',
  },
  WORKER_SETTING_UNSUPPORTED: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'The worker setting {property}={value} is not supported by this version of Tributary: {reason}.',
    action: 'Remove it ({variable} in the environment) if you do not need it.',
  },
  WORKER_FILE_UNREADABLE: {
    message: 'The properties file {path} cannot be read: {reason}.',
    action: 'Name a file in the format of Kafka’s connect-distributed.properties, or none.',
  },
  WORKER_GROUP_TAKEN: {
    message: 'Group {group} (group.id) already has a running worker that shares the group with no other: {worker}.',
    action:
      'It is a version of Tributary whose groups have one worker: stop it first. Or give this worker another GROUP_ID (group.id) and internal topics of its own.',
  },
  WORKER_GROUP_TOPICS: {
    message:
      'Group {group} (group.id) already has a running worker with other internal topics: {worker} stores configurations, offsets and statuses in {theirs}, this worker in {own}.',
    action:
      'Set the same three topics on all workers of a group (CONFIG_STORAGE_TOPIC, OFFSET_STORAGE_TOPIC, STATUS_STORAGE_TOPIC), or give this worker another GROUP_ID (group.id).',
  },
  GROUP_PROTOCOL_UNKNOWN: {
    message: 'The brokers have chosen the protocol {protocol} for the group, which no worker of Kafka Connect offers.',
    action: 'Set a GROUP_ID (group.id) that only Connect workers use.',
  },
  WORKER_TOPIC_TAKEN: {
    message: 'The config topic {topic} belongs to a running worker of group {group}: {worker}.',
    action:
      'Stop that worker, give this one its GROUP_ID (group.id) so that they share the connectors, or give it internal topics of its own (CONFIG_STORAGE_TOPIC, OFFSET_STORAGE_TOPIC, STATUS_STORAGE_TOPIC). Otherwise both would run the same connectors.',
  },
  WORKER_GROUP_FOREIGN: {
    message: 'Group {group} has members that are not Connect workers: {worker} (protocol type {type}).',
    action: 'Set a GROUP_ID (group.id) that no consumer uses.',
  },
  GROUP_PROTOCOL_DAMAGED: {
    message: 'The bytes of {what} are damaged: {field} cannot be read, because {reason}.',
    action:
      'Another program writes to the group of this worker (group.id). Give this worker a group of its own, or stop that program.',
  },
  CONFIG_REFERENCE: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: '{property} refers to {reference}, which has no value: {reason}.',
    action:
      'Correct the reference, or put the value where it points to. The worker resolves it when the service starts, when a connector is registered, and when its task starts.',
    recoverable: true,
  },
  TRANSACTION_SETTING_INVALID: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'Invalid value {value} for configuration {property}: it must be {expected}.',
    action: 'Correct the property of the connector, or the value that it refers to.',
  },
  INTERNAL_TOPIC_POLICY: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message:
      "Topic '{topic}' supplied via the '{property}' property is required to have 'cleanup.policy=compact' to guarantee consistency and durability of {content}, but found the topic currently has 'cleanup.policy={policy}'. Continuing would likely result in eventually losing {content} and problems restarting this Connect cluster in the future.",
    action:
      "Change the '{property}' property in the {owner} configuration to use a topic with 'cleanup.policy=compact', or run: kafka-configs.sh --bootstrap-server {servers} --alter --entity-type topics --entity-name {topic} --add-config cleanup.policy=compact",
  },
  INTERNAL_TOPIC_PARTITIONS: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message:
      "Topic '{topic}' supplied via the '{property}' property is required to have a single partition in order to guarantee consistency of connector configurations, but found {count} partitions.",
    action:
      'Partitions cannot be removed. Name another topic, which is created with the right settings when it does not exist; or, if no connector is stored in this one, run: kafka-topics.sh --bootstrap-server {servers} --delete --topic {topic}',
  },
  INTERNAL_TOPIC_REPLICAS: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message:
      "Topic '{topic}' supplied via the '{property}' property has {found} replicas instead of {wanted}: losing those brokers loses the topic.",
    action:
      "Correct {kind}.storage.replication.factor, or add replicas: echo '{reassignment}' > {topic}.json && kafka-reassign-partitions.sh --bootstrap-server {servers} --reassignment-json-file {topic}.json --execute",
  },
  INTERNAL_TOPIC_NOT_CREATED: {
    message: "Topic '{topic}' supplied via the '{property}' property does not exist and cannot be created: {reason}.",
    action:
      'Correct {kind}.storage.replication.factor and the other {kind}.storage.… settings, grant the right to create topics, or create it yourself with cleanup.policy=compact.',
  },
  INTERNAL_TOPIC_LOST: {
    message: 'The worker can no longer read the internal topic {topic}: {reason}.',
    action:
      'Tasks continue, but connectors cannot be changed and their offsets cannot be read. The worker tries again by itself. Make sure that the topic exists and that the worker may read it.',
    recoverable: true,
  },
  CONFIG_WRITE_FAILED: {
    message:
      'Failed to write to config topic; this may be due to a transient error and the request can be safely retried ({reason}).',
    action: '',
    recoverable: true,
  },
  OFFSET_WRITE_FAILED: {
    message: 'Failed to write to the offset topic; the request can be repeated safely ({reason}).',
    action: '',
    recoverable: true,
  },
  OFFSET_READ_FAILED: {
    message: 'The offset topic could not be read to its end; the request can be repeated safely ({reason}).',
    action: '',
    recoverable: true,
  },
  MEMBERSHIP_UNCONFIRMED: {
    message:
      'The brokers do not answer the heartbeats of this worker, so that it is not certain to be the only one that runs the task.',
    action: 'The task continues when they answer. Check the brokers and the network.',
    retriable: true,
  },
  PRODUCER_FAILED: {
    message: 'Unrecoverable exception from producer send callback: {reason}.',
    action: 'Fix the cause. The task continues after the last record that the brokers have acknowledged.',
    recoverable: 'cause',
  },
  START_LEAVES_OUT: {
    message: 'The task failed, and a new start would leave out changes: {reason}.',
    action:
      'The worker does not restart the task by itself, because a start begins with a new snapshot: it has no events for rows deleted, and for changes overwritten, since the stored offset. Correct the cause. To continue from the stored offset, set snapshot.mode to initial or when_needed; for a new snapshot, restart the task.',
  },
  TRANSACTION_LOST: {
    message: 'The open transaction of the task cannot be committed: {reason}.',
    action: 'The worker restarts the task, which continues after the last committed transaction.',
    retriable: true,
  },
  RECORD_FAILED: {
    message:
      '{problem}: a record for topic {topic}{record} from source position {position} could not be {doing}: {reason}.',
    action:
      'All earlier records are acknowledged and their offset is stored. Fix the cause: the task continues with this record. With errors.tolerance=all the task would skip it.',
    recoverable: 'cause',
  },
  TOPIC_CREATION_DENIED: {
    message:
      'Task failed to create new topic {topic}. Ensure that the task is authorized to create topics or that the topic exists and restart the task ({reason}).',
    action:
      'The settings are those of topic.creation.{group}.… in the configuration of the connector. Without any topic.creation.… the brokers create topics themselves, if their auto.create.topics.enable allows it.',
    recoverable: true,
  },
  TOPIC_NOT_CREATED: {
    message: "Unable to create topic(s) '{topic}': {reason}.",
    action: 'Correct topic.creation.{group}.… in the configuration of the connector, or create the topic.',
    recoverable: 'cause',
  },
  CLIENT_OVERRIDES_REFUSED: {
    message: 'Client Config Overrides not allowed: the policy {policy} of the worker refuses {settings}.',
    action:
      'Remove them from the configuration of the connector, or allow them by connector.client.config.override.policy and connector.client.config.override.allowlist of the worker.',
  },
  TASK_THREAD_ENDED: {
    message: 'The thread of task {task} ended unexpectedly: {reason}.',
    action: 'Restart the task; if it ends again, report it with the log.',
  },
  SHARED_THREAD_ENDED: {
    message: 'The thread of task {task} and {others} others ended unexpectedly: {reason}.',
    action:
      'Nothing: the worker starts the tasks again. If the cause is not known, each runs alone in a thread; if one of them ends its thread again, it fails and says why.',
  },
  RUNNER_SILENT: {
    message: 'The worker {worker}, which runs the connector, does not answer: what its tasks do is not known.',
    action:
      'Look at that worker, and at the network between the workers. If it has failed, the group gives its work to others after session.timeout.ms.',
    className: 'org.apache.kafka.common.errors.TimeoutException',
  },
  CHECK_TOO_SLOW: {
    message: 'The check of the configuration of connector {connector} was ended after {seconds} s, while {doing}.',
    action:
      'If it names an address, check that this is the server that is meant, and that it answers; otherwise the machine of the worker has too much to do. Then repeat the request. Nothing was stored, and other connectors are not affected.',
    className: 'org.apache.kafka.common.errors.TimeoutException',
  },
  CHECK_TOO_LARGE: {
    message:
      'The check of the configuration of connector {connector} was ended while {doing}, because it needed more than {megabytes} MB of memory.',
    action:
      'A database and a schema registry do not send such answers: check that the named address leads to the server that is meant. If the database has hundreds of thousands of tables, narrow database.include.list and table.include.list. Nothing was stored, and other connectors are not affected.',
  },
  CHECK_THREAD_ENDED: {
    message:
      'The thread that checked the configuration of connector {connector} ended unexpectedly, while {doing}: {reason}.',
    action: 'Repeat the request; if it fails again, report it with the log. Other connectors are not affected.',
  },
  CHECKS_BUSY: {
    message:
      'The configuration of connector {connector} cannot be checked now: {running} checks run, and {waiting} wait for one of them to end.',
    action: 'Repeat the request later.',
    retriable: true,
  },
  CLASS_UNKNOWN: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'Class {className} could not be found: there is no {kind} of that name.',
    action: 'Name one that GET /connector-plugins?connectorsOnly=false lists.',
  },
  PREDICATE_UNKNOWN: {
    className: 'org.apache.kafka.common.config.ConfigException',
    message: 'The property {property} names the predicate {predicate}, which the property predicates does not list.',
    action: 'Add the predicate to predicates, or remove the property.',
  },
  OFFSET_VALUE: {
    className: 'org.apache.kafka.connect.errors.DataException',
    message: 'The stored offset {key} is not a flat JSON object: {text}.',
    action:
      'Write a correct value to the offset topic, or a record with that key and a null value to let the connector start from scratch.',
  },
} as const

/** Errors of the runtime. */
export const runtimeErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
