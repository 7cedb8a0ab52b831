import { defineErrors, type ErrorRegistry } from '@tributary/support'

const definitions = {
  REHEARSE_CONVERTER: {
    message: 'Records of {property}={className} cannot be compared: a rehearsal reads JSON, texts and Avro.',
    action:
      'Move the connector without a rehearsal, after one of a connector with a converter that can be compared. Do not register a copy of it beside it: the copy would write to the same topics.',
  },
  REHEARSE_NOT_RUNNING: {
    message: 'The connector {connector} is {state} in Kafka Connect, so that there is nothing to compare with{trace}.',
    action: 'Resume it, or correct what makes it fail, and rehearse again.',
  },
  REHEARSE_UNKNOWN: {
    message: '{place} has no connector {connector}.',
    action: 'Check the name: tributary connectors list --url lists those of a worker.',
  },
  REHEARSE_NO_OFFSET: {
    message: 'The connector {connector} has no stored offset for {partition} in {place}{found}.',
    action:
      'A rehearsal begins where the connector is. If it takes its first snapshot, wait until that has ended and Kafka Connect has stored an offset (offset.flush.interval.ms, 60 s by default). Otherwise check the topic.prefix and the names of the topics.',
  },
  REHEARSE_SNAPSHOT: {
    message: 'The connector {connector} is taking a snapshot: its stored offset is {offset}.',
    action: 'Rehearse again when its snapshot has ended.',
  },
  REHEARSE_OFFSETS_UNREADABLE: {
    message: 'Kafka Connect at {place} does not return offsets: {reason}.',
    action:
      'Releases before 3.5 have no such request: name the offset topic of the worker with --offset-topic (its offset.storage.topic).',
  },
  REHEARSE_TOPIC_MISSING: {
    message: 'There is no topic {topic} on {servers}.',
    action: 'Check the name in the configuration of the Kafka Connect worker, and --bootstrap-servers.',
  },
  REHEARSE_NOT_BEGUN: {
    message: 'Within {seconds} s the connector could not begin to read: {reason}.',
    action: 'Correct that, and rehearse again.',
  },
  REHEARSE_UNREACHABLE: {
    message: 'The brokers {servers} have not answered within {seconds} s.',
    action: 'Check --bootstrap-servers and the security settings (CONNECT_SECURITY_PROTOCOL, …).',
    retriable: true,
  },
  REHEARSE_SERVER_ID: {
    message: 'The rehearsal cannot read the binlog as the replica {serverId}: {reason}.',
    action:
      'Choose a number for --server-id that no replica, no connector and no server has, or leave it out: then a random one is used.',
  },
} as const

/** What ends a rehearsal before its comparison. */
export const rehearseErrors: ErrorRegistry<typeof definitions> = defineErrors(definitions)
