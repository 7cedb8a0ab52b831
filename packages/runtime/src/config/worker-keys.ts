import { atLeast, type ConfigKey, type ConfigMap, oneOfIgnoringCase, type Validator } from '@tributary/connect-api'

const JSON_CONVERTER = 'org.apache.kafka.connect.json.JsonConverter'
const SIMPLE_HEADER_CONVERTER = 'org.apache.kafka.connect.storage.SimpleHeaderConverter'

export const PORT_MAX = 65_535
/** The least `offset.flush.max.records`: what a single partition can keep, which gets twenty in any case. */
export const REPEATED_RECORDS_LEAST = 25

const isPort: Validator = (value) =>
  value === null || Number(value) <= PORT_MAX ? null : `Value must be no more than ${PORT_MAX}`

/** Properties of a distributed worker that this version acts on, with the defaults of the Debezium image. */
export const workerKeys: readonly ConfigKey[] = [
  {
    name: 'bootstrap.servers',
    type: 'LIST',
    documentation: 'Brokers to begin with, as host:port, separated by commas.',
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
    name: 'config.providers',
    type: 'LIST',
    defaultValue: '',
    documentation:
      'Names of config providers, separated by commas: config.providers.<name>.class says which, config.providers.<name>.param.… its parameters. ${name:path:key} in a property stands for a value that they look up.',
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
      'Converter of record keys for connectors that name none; its options follow behind `key.converter.`.',
    importance: 'HIGH',
  },
  {
    name: 'value.converter',
    type: 'CLASS',
    defaultValue: JSON_CONVERTER,
    documentation:
      'Converter of record values for connectors that name none; its options follow behind `value.converter.`.',
    importance: 'HIGH',
  },
  {
    name: 'header.converter',
    type: 'CLASS',
    defaultValue: SIMPLE_HEADER_CONVERTER,
    documentation: 'Converter of record headers for connectors that name none.',
  },
  {
    name: 'source.struct.version',
    type: 'STRING',
    defaultValue: null,
    validators: [oneOfIgnoringCase('v1', 'v2')],
    documentation:
      'Form of the events, v1 or v2, of connectors that do not set it and begin anew. One that goes on from a stored offset or schema history keeps its form.',
  },
  {
    name: 'offset.flush.interval.ms',
    type: 'LONG',
    defaultValue: '60000',
    validators: [atLeast(1)],
    documentation:
      'How long after the last time the offsets of acknowledged records are stored at the latest, in milliseconds; after 1,000 records they are stored at once, or after two fifths of `offset.flush.max.records` where that is less.',
  },
  {
    name: 'offset.flush.timeout.ms',
    type: 'LONG',
    defaultValue: '5000',
    validators: [atLeast(0)],
    documentation: 'How long storing offsets, and waiting for records at the end of a task, may take, in milliseconds.',
  },
  {
    name: 'offset.flush.max.records',
    type: 'LONG',
    defaultValue: '2500',
    validators: [atLeast(REPEATED_RECORDS_LEAST)],
    documentation:
      'So many records are sent beyond the last stored offset at most, so that a kill repeats no more of a task; or 20 for each partition that has records under way, where that is more. A task sends no more than nine tenths of them in the time that the brokers take to acknowledge records and then their offset: set more where brokers are far away.',
  },
  {
    name: 'task.shutdown.graceful.timeout.ms',
    type: 'LONG',
    defaultValue: '10000',
    validators: [atLeast(0)],
    documentation: 'How long all tasks together have to end when the worker stops, in milliseconds.',
  },
  {
    name: 'topic.tracking.enable',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Whether the topics that each connector has written to are noted in the status topic (KIP-558).',
  },
  {
    name: 'topic.tracking.allow.reset',
    type: 'BOOLEAN',
    defaultValue: 'true',
    documentation: 'Whether a request may forget the topics that a connector has written to.',
  },
  {
    name: 'listeners',
    type: 'LIST',
    defaultValue: null,
    documentation: 'Where the REST interface listens, as http://host:port; an empty host means all interfaces.',
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
    name: 'rest.advertised.host.name',
    type: 'STRING',
    defaultValue: null,
    documentation: 'Host name under which others reach this worker; it stands in worker_id.',
  },
  {
    name: 'rest.advertised.port',
    type: 'INT',
    defaultValue: null,
    documentation: 'Port under which others reach this worker; it stands in worker_id.',
  },
]

/** Of these a task is told: connectors take them for properties that they lack themselves. */
export const CONNECTOR_DEFAULTS: readonly string[] = ['source.struct.version']

/** Those of the worker's properties. */
export function workerDefaults(properties: ConfigMap): ConfigMap {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => CONNECTOR_DEFAULTS.includes(name)))
}
