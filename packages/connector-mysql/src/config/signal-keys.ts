import type { ConfigKey, ConfigValues, Validator } from '@tributary/connect-api'
import { channelsOf, oneOf, requiredWithChannel, text } from './key-validators.ts'

export type SignalChannel = 'source' | 'kafka' | 'file'

export interface SignalConfig {
  /** `signal.data.collection` as `database.table`; null: not set. */
  readonly table: string | null
  readonly channels: ReadonlySet<SignalChannel>
  /** Channels that are asked for, and that this program does not have. */
  readonly otherChannels: readonly string[]
  readonly pollIntervalMs: number
  readonly file: string
  readonly kafkaTopic: string
  readonly kafkaBootstrapServers: string | null
  readonly chunkRows: number
  readonly strategy: 'insert_insert' | 'insert_delete'
  /** Nothing is written into the database. */
  readonly isReadOnly: boolean
}

const STRATEGIES: readonly SignalConfig['strategy'][] = ['insert_insert', 'insert_delete']
const CHANNELS: readonly string[] = ['source', 'kafka', 'file']

const positive: Validator = (value) =>
  value === null || Number(value) > 0 ? null : 'A positive, non-zero integer value is expected'

/** The properties of signals and of incremental snapshots, with the names and defaults of Debezium 3.6. */
export const signalKeys: readonly ConfigKey[] = [
  {
    name: 'signal.data.collection',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [
      (value) => (value === null || /^[^.]+\..+$/.test(text(value)) ? null : 'The form database.table is expected'),
    ],
    documentation:
      'The table (database.table) with the three columns id, type and data whose new rows are signals. It is captured, if its database is, and no snapshot reads its rows.',
  },
  {
    name: 'signal.enabled.channels',
    type: 'STRING',
    defaultValue: 'source',
    group: 'Events',
    documentation:
      'Where signals come from, separated by commas: source (the table of signal.data.collection), kafka (a topic), file. Others of Debezium, jmx and in-process, have no effect.',
    difference: { tag: 'differently', how: 'The channels jmx and in-process have no effect.' },
  },
  {
    name: 'signal.poll.interval.ms',
    type: 'LONG',
    defaultValue: '5000',
    group: 'Events',
    validators: [positive],
    documentation: 'How often the signal file is read, in milliseconds. Signals of the other channels do not wait.',
    difference: { tag: 'differently', how: 'Only the signal file is polled; signals of other channels do not wait.' },
  },
  {
    name: 'signal.file',
    type: 'STRING',
    defaultValue: 'file-signals.txt',
    group: 'Events',
    documentation:
      'The file of the channel file: one JSON object per line. The task empties it after it has stored an offset that includes the effect of its signals.',
  },
  {
    name: 'signal.kafka.topic',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    documentation:
      'The topic of the channel kafka, with one partition; records for this connector have its topic.prefix as key. Default: <topic.prefix>-signal.',
  },
  {
    name: 'signal.kafka.bootstrap.servers',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [requiredWithChannel('signal.enabled.channels', 'kafka', 'A value is required')],
    documentation: 'The brokers of that topic. signal.consumer.… sets up the connection to them, such as TLS and SASL.',
  },
  {
    name: 'signal.kafka.groupId',
    type: 'STRING',
    defaultValue: 'kafka-signal',
    group: 'Events',
    documentation:
      'Accepted for compatibility: the topic is read without a group, from the offset of the connector on.',
    difference: { tag: 'no effect', why: 'The topic is read without a group, from the offset of the connector on.' },
  },
  {
    name: 'signal.kafka.poll.timeout.ms',
    type: 'INT',
    defaultValue: '100',
    group: 'Events',
    documentation: 'Accepted for compatibility: the topic is read in the background.',
    difference: { tag: 'no effect', why: 'The topic is read in the background.' },
  },
  {
    name: 'incremental.snapshot.chunk.size',
    type: 'INT',
    defaultValue: '1024',
    group: 'Connector',
    validators: [positive],
    documentation:
      'Rows of a chunk of an incremental snapshot, fewer when they are larger than 64 MiB. They are in memory until the stream has reached them.',
  },
  {
    name: 'incremental.snapshot.watermarking.strategy',
    type: 'STRING',
    defaultValue: 'insert_insert',
    group: 'Connector',
    validators: [oneOf(STRATEGIES)],
    documentation:
      'How the signal table marks begin and end of the window of each chunk: by two rows (insert_insert), or by one that is deleted (insert_delete). With read.only=true, or without signal.data.collection, nothing is marked.',
  },
  {
    name: 'incremental.snapshot.allow.schema.changes',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'Connector',
    documentation: 'Accepted for compatibility: a chunk whose table is altered meanwhile is read again in any case.',
    difference: { tag: 'no effect', why: 'Tables may always be altered while they are copied.' },
  },
  {
    name: 'read.only',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'Connector',
    documentation: 'With true, incremental snapshots write nothing into the database, also if there is a signal table.',
  },
]

export function signalConfig(values: ConfigValues): SignalConfig {
  const channels = channelsOf(values.string('signal.enabled.channels'))
  return {
    table: values.optionalString('signal.data.collection')?.trim() ?? null,
    channels: new Set(channels.filter((channel) => CHANNELS.includes(channel)) as SignalChannel[]),
    otherChannels: channels.filter((channel) => !CHANNELS.includes(channel)),
    pollIntervalMs: values.integer('signal.poll.interval.ms'),
    file: values.string('signal.file'),
    kafkaTopic: values.optionalString('signal.kafka.topic') ?? `${values.string('topic.prefix')}-signal`,
    kafkaBootstrapServers: values.optionalString('signal.kafka.bootstrap.servers'),
    chunkRows: values.integer('incremental.snapshot.chunk.size'),
    strategy: values.string('incremental.snapshot.watermarking.strategy').toLowerCase() as SignalConfig['strategy'],
    isReadOnly: values.boolean('read.only'),
  }
}
