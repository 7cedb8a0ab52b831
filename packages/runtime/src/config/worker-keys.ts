import {
  atLeast,
  type ConfigKey,
  type ConfigMap,
  oneOf,
  oneOfIgnoringCase,
  type Validator,
} from '@tributary/connect-api'
import { overridePolicyKeys } from './override-policy.ts'
import { PORT_MAX } from './rest-settings.ts'
import { sessionKeyKeys } from './session-key-settings.ts'

const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'
const SIMPLE_HEADER_CONVERTER = 'org.apache.kafka.connect.storage.SimpleHeaderConverter'

/** Minimum of `offset.flush.max.records`: enough for a single partition, which always gets 20. */
export const REPEATED_RECORDS_LEAST = 25

const isPort: Validator = (value) =>
  value === null || Number(value) <= PORT_MAX ? null : `Value must be no more than ${PORT_MAX}`

/** The properties of a distributed worker that this version supports, with the defaults of the Debezium image. */
export const workerKeys: readonly ConfigKey[] = [
  {
    name: 'bootstrap.servers',
    type: 'LIST',
    documentation: 'Brokers for the first connection, as host:port, separated by commas.',
    importance: 'HIGH',
  },
  {
    name: 'group.id',
    type: 'STRING',
    defaultValue: '1',
    documentation: 'Name of the group of workers that share the three internal topics.',
    importance: 'HIGH',
  },
  {
    name: 'session.timeout.ms',
    type: 'INT',
    defaultValue: '10000',
    validators: [atLeast(1)],
    documentation:
      'Time without a heartbeat after which the brokers end the membership of this worker in its group, in milliseconds. After four fifths of it the worker’s tasks write nothing more. The brokers accept 6,000 to 1,800,000 (group.min.session.timeout.ms, group.max.session.timeout.ms).',
  },
  {
    name: 'heartbeat.interval.ms',
    type: 'INT',
    defaultValue: '3000',
    validators: [atLeast(1)],
    documentation:
      'Time between two heartbeats of the worker, in milliseconds, but not more than two fifths of `session.timeout.ms`: a single lost heartbeat must have no effect.',
  },
  {
    name: 'rebalance.timeout.ms',
    type: 'INT',
    defaultValue: '60000',
    validators: [atLeast(1)],
    documentation: 'Longest time that the brokers wait for this worker when it joins its group, in milliseconds.',
  },
  {
    name: 'connect.protocol',
    type: 'STRING',
    defaultValue: 'sessioned',
    validators: [oneOf('eager', 'compatible', 'sessioned')],
    documentation:
      'How the workers of the group share its work: `sessioned` and `compatible` keep tasks running while work moves between workers, and `sessioned` also signs requests between workers; with `eager`, every worker stops all its tasks whenever one joins or leaves. One worker with `eager` makes the whole group eager.',
  },
  {
    name: 'scheduled.rebalance.max.delay.ms',
    type: 'INT',
    defaultValue: '0',
    validators: [atLeast(0)],
    documentation:
      'How long the tasks of a worker that has disappeared wait for it to return, in milliseconds, before other workers run them. 0: they do not wait. The default of Kafka Connect is 300000.',
  },
  {
    name: 'config.providers',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Names of config providers, separated by commas: config.providers.<name>.class sets the class, config.providers.<name>.param.… its parameters. The provider replaces ${name:path:key} in a property by a value.',
  },
  {
    name: 'config.storage.topic',
    type: 'STRING',
    documentation: 'Topic where connector configurations are stored. Created with one partition and compaction.',
    importance: 'HIGH',
  },
  {
    name: 'config.storage.replication.factor',
    type: 'SHORT',
    defaultValue: null,
    documentation:
      'Replicas of the config topic when it is created; -1: the broker’s default. Default: 3, or all brokers.',
  },
  {
    name: 'offset.storage.topic',
    type: 'STRING',
    documentation: 'Topic where the offsets of source connectors are stored.',
    importance: 'HIGH',
  },
  {
    name: 'offset.storage.partitions',
    type: 'INT',
    defaultValue: '25',
    documentation: 'Partitions of the offset topic when it is created; -1: the broker’s default.',
  },
  {
    name: 'offset.storage.replication.factor',
    type: 'SHORT',
    defaultValue: null,
    documentation:
      'Replicas of the offset topic when it is created; -1: the broker’s default. Default: 3, or all brokers.',
  },
  {
    name: 'status.storage.topic',
    type: 'STRING',
    defaultValue: 'connect-status',
    documentation: 'Topic where the statuses of connectors and tasks are stored.',
    importance: 'HIGH',
  },
  {
    name: 'status.storage.partitions',
    type: 'INT',
    defaultValue: '5',
    documentation: 'Partitions of the status topic when it is created; -1: the broker’s default.',
  },
  {
    name: 'status.storage.replication.factor',
    type: 'SHORT',
    defaultValue: null,
    documentation:
      'Replicas of the status topic when it is created; -1: the broker’s default. Default: 3, or all brokers.',
  },
  {
    name: 'key.converter',
    type: 'CLASS',
    defaultValue: JSON_CONVERTER,
    documentation:
      'Converter of record keys for connectors that set none; its options have the prefix `key.converter.`.',
    importance: 'HIGH',
  },
  {
    name: 'value.converter',
    type: 'CLASS',
    defaultValue: JSON_CONVERTER,
    documentation:
      'Converter of record values for connectors that set none; its options have the prefix `value.converter.`.',
    importance: 'HIGH',
  },
  {
    name: 'header.converter',
    type: 'CLASS',
    defaultValue: SIMPLE_HEADER_CONVERTER,
    documentation: 'Converter of record headers for connectors that set none.',
  },
  {
    name: 'source.struct.version',
    type: 'STRING',
    defaultValue: null,
    validators: [oneOfIgnoringCase('v1', 'v2')],
    documentation:
      'Record format, v1 or v2, of new connectors that do not set it. A connector with a stored offset or schema history keeps its format.',
  },
  {
    name: 'offset.flush.interval.ms',
    type: 'LONG',
    defaultValue: '60000',
    validators: [atLeast(1)],
    documentation:
      'Longest time between two commits of the offsets of acknowledged records, in milliseconds. They are also committed after 1,000 records, or after two fifths of `offset.flush.max.records` if that is less.',
  },
  {
    name: 'offset.flush.timeout.ms',
    type: 'LONG',
    defaultValue: '5000',
    validators: [atLeast(0)],
    documentation:
      'Longest time for a commit of offsets, and for records in flight when a task stops, in milliseconds.',
  },
  {
    name: 'offset.flush.max.records',
    type: 'LONG',
    defaultValue: '2500',
    validators: [atLeast(REPEATED_RECORDS_LEAST)],
    documentation:
      'Largest number of records that a task sends after its last stored offset, or 20 for each partition with records in flight if that is more. A task that was killed repeats no more than these. The task sends at most nine tenths of them in the time that the brokers need to acknowledge records and then their offset, so set a larger value if the brokers are far away.',
  },
  {
    name: 'exactly.once.source.support',
    type: 'STRING',
    defaultValue: 'disabled',
    validators: [oneOfIgnoringCase('disabled', 'enabled', 'preparing')],
    importance: 'HIGH',
    documentation:
      'Whether records and offsets of connectors are written in transactions, so that consumers with isolation.level=read_committed see each record exactly once (KIP-618). A group of Java workers is rolled to `preparing` first, then to `enabled`; all workers of a group need the same value.',
  },
  {
    name: 'task.shutdown.graceful.timeout.ms',
    type: 'LONG',
    defaultValue: '10000',
    validators: [atLeast(0)],
    documentation: 'Longest time for all tasks together to stop when the worker stops, in milliseconds.',
  },
  {
    name: 'topic.tracking.enable',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Whether the worker records the topics of each connector in the status topic (KIP-558).',
  },
  {
    name: 'topic.tracking.allow.reset',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Whether a request may reset the recorded topics of a connector.',
  },
  {
    name: 'topic.creation.enable',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation:
      'Whether connectors may create their topics with settings of their own: the properties `topic.creation.…` of a connector (KIP-158).',
  },
  ...overridePolicyKeys,
  {
    name: 'listeners',
    type: 'LIST',
    defaultValue: null,
    documentation:
      'Addresses on which the REST interface listens, separated by commas, as http://host:port or https://host:port; an empty host means all interfaces. Key and certificate of https are `ssl.keystore.…`, as for the brokers, or `listeners.https.ssl.keystore.…` if any property begins with `listeners.https.`; `ssl.client.auth` is none, requested or required.',
  },
  {
    name: 'rest.host.name',
    type: 'STRING',
    defaultValue: null,
    documentation:
      'Host name or address on which the REST interface listens, when `listeners` is not set. Default: all.',
  },
  {
    name: 'rest.port',
    type: 'INT',
    defaultValue: '8083',
    validators: [atLeast(0), isPort],
    documentation: 'Port on which the REST interface listens, when `listeners` is not set. 0: any free one.',
  },
  {
    name: 'rest.allowed.hosts',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Names of this worker, separated by commas, that requests may have in their Host header, besides localhost, addresses and its own names; `*`: any. When it is not set, names are compared only at the loopback address. Set it when a proxy on the same machine passes on other names, or so that web pages cannot use the worker by DNS rebinding.',
  },
  {
    name: 'rest.allowed.origins',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Origins of web pages that may use the REST interface, separated by commas, as https://console.example; `*`: any. Requests of other pages are answered with 403.',
  },
  {
    name: 'rest.path.prefix',
    type: 'STRING',
    defaultValue: '',
    documentation:
      'Path, such as /cdc, that requests may have before their own: set it when a proxy passes on that path unchanged. Paths without it are answered as well.',
  },
  {
    name: 'rest.auth.basic.file',
    type: 'STRING',
    defaultValue: null,
    documentation:
      'File with lines `user=password`, the form of Kafka Connect’s PropertyFileLoginModule. With it, or with `rest.auth.bearer.file`, every request needs a login. The worker reads the file when it starts.',
  },
  {
    name: 'rest.auth.bearer.file',
    type: 'STRING',
    defaultValue: null,
    documentation:
      'File with lines `name=token`: requests may have a token in the header `Authorization: Bearer …` instead of a password. A token has at least 16 characters.',
  },
  {
    name: 'rest.auth.read.only.users',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Names in these files, separated by commas, that may only read: other requests are answered with 403, and passwords in configurations are hidden.',
  },
  {
    name: 'task.threads.max',
    type: 'INT',
    defaultValue: '0',
    validators: [atLeast(0)],
    documentation:
      'How many threads run tasks. The first tasks have threads of their own; when there are as many, further tasks share them. 0: as many as processors, at least 4. A thread takes about 25 MB. A large number gives each task a thread of its own: then an error that ends a thread (out of memory) disturbs no other task.',
  },
  {
    name: 'ui.enabled',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Whether the REST interface has a page for browsers at `/ui`.',
  },
  {
    name: 'ui.events',
    type: 'STRING',
    defaultValue: 'full',
    validators: [oneOf('full', 'all', 'none')],
    documentation:
      'Who may read the records of topics on the page: `full`: users who may change connectors, and everybody when no login is needed; `all`: also users who may only read; `none`: nobody.',
  },
  {
    name: 'ui.events.topics',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Topics that the page may read besides those whose names begin with the topic.prefix of their connector and a dot, separated by commas: for records that a transformation routes to other topics. An entry may end with `*`, which matches any text. It admits no topic whose name begins with `__`, and no internal topic of this worker.',
  },
  {
    name: 'rest.advertised.host.name',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Host name under which others reach this worker; part of worker_id.',
  },
  {
    name: 'rest.advertised.port',
    type: 'INT',
    defaultValue: null,
    documentation: 'Port under which others reach this worker; part of worker_id.',
  },
  {
    name: 'rest.advertised.listener',
    type: 'STRING',
    defaultValue: null,
    validators: [oneOfIgnoringCase('http', 'https')],
    documentation:
      'Which listener the other workers use: http or https. Default: http, if a listener has it. With https, the worker verifies the others by the same key and trust stores as its listener.',
  },
  ...sessionKeyKeys,
]

/** Worker properties that are also defaults for properties of connectors; tasks get them. */
export const CONNECTOR_DEFAULTS: readonly string[] = ['source.struct.version']

/** The worker's values of those properties. */
export function workerDefaults(properties: ConfigMap): ConfigMap {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => CONNECTOR_DEFAULTS.includes(name)))
}
