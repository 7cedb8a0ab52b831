import { atLeast, type ConfigKey, type Validator } from '@tributary/connect-api'
import { nameAdjustments, type RecordFormatName, regexListRefusal } from '@tributary/connector-kit'
import { bigintUnsignedModes, binaryModes, decimalModes, timePrecisionModes } from '../values/value-options.ts'
import { columnKeys } from './column-keys.ts'
import { between, oneOf, text } from './key-validators.ts'
import { lossKeys } from './loss-keys.ts'
import { notificationKeys } from './notification-keys.ts'
import { signalKeys } from './signal-keys.ts'
import { limitKeys } from './limit-keys.ts'
import { snapshotKeys } from './snapshot-keys.ts'
import { plainName, topicKeys, topicName } from './topic-keys.ts'
import { oldNamesOf } from './old-names.ts'
import { streamKeys } from './stream-keys.ts'

/** Where the properties of the MySQL connector and the MariaDB connector differ. */
export interface FlavorKeys {
  readonly sslModes: readonly string[]
  readonly sslModeDefault: string
}

const RECORD_FORMATS: readonly RecordFormatName[] = ['v1', 'v2']

/** The properties of the connectors that have an effect, with the documentation and defaults of Debezium 3.6. */
export function connectorKeys({ sslModes, sslModeDefault }: FlavorKeys): readonly ConfigKey[] {
  return [
    ...loginKeys,
    ...transportKeys(sslModes, sslModeDefault),
    ...filterKeys,
    ...streamKeys,
    ...columnKeys,
    ...valueKeys,
    ...snapshotKeys,
    ...limitKeys,
    ...signalKeys,
    ...notificationKeys,
    ...historyKeys,
    ...engineKeys,
    ...lossKeys,
    ...topicKeys,
  ].map(withOldNames)
}

function withOldNames(key: ConfigKey): ConfigKey {
  const aliases = [...(key.aliases ?? []), ...oldNamesOf(key.name)]
  return aliases.length === 0 ? key : { ...key, aliases }
}

const hostName: Validator = (value) =>
  value !== null && text(value).includes(':') ? null : plainName(value, new Map())

const positive: Validator = (value) =>
  value !== null && Number(value) > 0 ? null : 'A positive, non-zero long value is expected'

const regexList: Validator = (value) => (value === null ? null : regexListRefusal(text(value)))

function notBoth(other: string): Validator {
  return (value, all) =>
    value !== null && (all.get(other) ?? null) !== null ? `"${other}" is already specified` : null
}

const loginKeys: readonly ConfigKey[] = [
  {
    // A string, because Connect itself checks that it is a number within the range of an int.
    name: 'tasks.max',
    type: 'STRING',
    defaultValue: '1',
    group: 'Common',
    validators: [
      (value) =>
        /^[+]?0*(?:[2-9]\d{0,9}|1\d{1,9})$/.test(text(value))
          ? 'Only a single connector task may be started, because the database records all activity in one binary log, which one reader reads in order. Set it to 1'
          : null,
    ],
    documentation: 'Must be 1.',
  },
  {
    name: 'topic.prefix',
    type: 'STRING',
    importance: 'HIGH',
    group: 'Connector',
    validators: [plainName],
    documentation: 'Logical name of the connector: prefix of all its topics, and source.name in its events. Unique.',
  },
  {
    name: 'database.hostname',
    type: 'STRING',
    importance: 'HIGH',
    group: 'MySQL',
    validators: [hostName],
    documentation: 'Host name or IP address of the database server.',
  },
  {
    name: 'database.port',
    type: 'INT',
    defaultValue: '3306',
    importance: 'HIGH',
    group: 'MySQL',
    validators: [between(1, 65_535)],
    documentation: 'Port of the database server.',
  },
  {
    name: 'database.user',
    type: 'STRING',
    importance: 'HIGH',
    group: 'MySQL',
    documentation: 'User to log in as. Needs SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE and REPLICATION CLIENT.',
  },
  {
    name: 'database.password',
    type: 'PASSWORD',
    defaultValue: '',
    importance: 'HIGH',
    group: 'MySQL',
    documentation: 'Password of that user.',
  },
  {
    name: 'database.server.id',
    type: 'LONG',
    importance: 'HIGH',
    group: 'MySQL',
    validators: [positive, between(1, 4_294_967_295)],
    documentation: 'Number of this connector as a replica. No other replica or connector of the server may have it.',
  },
]

function transportKeys(sslModes: readonly string[], sslModeDefault: string): readonly ConfigKey[] {
  return [
    {
      name: 'database.ssl.mode',
      type: 'STRING',
      defaultValue: sslModeDefault,
      group: 'MySQL',
      // The MariaDB connector has no such mode; documents have it all the same.
      validators: [oneOf(sslModes, ['preferred'])],
      documentation: `Protection of the connection: ${sslModes.join(', ')}.`,
    },
    ...['truststore', 'keystore'].map((store): ConfigKey => ({
      name: `database.ssl.${store}`,
      type: 'STRING',
      defaultValue: null,
      group: 'MySQL',
      documentation: `File in PEM form with ${store === 'truststore' ? 'the certificates to trust' : 'the certificate and key of this client'}.`,
    })),
    ...['truststore', 'keystore'].map((store): ConfigKey => ({
      name: `database.ssl.${store}.password`,
      type: 'PASSWORD',
      defaultValue: null,
      group: 'MySQL',
      documentation: `Password of the ${store}.`,
    })),
    {
      name: 'connect.timeout.ms',
      type: 'INT',
      defaultValue: '30000',
      group: 'MySQL',
      validators: [atLeast(0)],
      documentation: 'How long connecting may take, in milliseconds.',
    },
    {
      name: 'connect.keep.alive.interval.ms',
      type: 'LONG',
      defaultValue: '60000',
      group: 'MySQL',
      validators: [atLeast(1)],
      documentation: 'A connection on which nothing came for this long, in milliseconds, is taken for dead.',
    },
    {
      name: 'database.initial.statements',
      type: 'STRING',
      defaultValue: null,
      group: 'MySQL',
      documentation:
        'Statements run on each connection but the binlog’s, separated by semicolons; `;;` is a semicolon itself.',
    },
  ]
}

const filterKeys: readonly ConfigKey[] = ['database', 'table'].flatMap((what) => [
  {
    name: `${what}.include.list`,
    type: 'STRING',
    defaultValue: null,
    importance: 'HIGH',
    group: 'Connector',
    validators: [regexList],
    documentation: `Regular expressions, separated by commas, of the ${what}s to capture${what === 'table' ? ', as database.table' : ''}. Default: all.`,
  },
  {
    name: `${what}.exclude.list`,
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [notBoth(`${what}.include.list`), regexList],
    documentation: `Regular expressions, separated by commas, of the ${what}s not to capture${what === 'table' ? ', as database.table' : ''}.`,
  },
])

const valueKeys: readonly ConfigKey[] = [
  {
    name: 'decimal.handling.mode',
    type: 'STRING',
    defaultValue: 'precise',
    group: 'Connector',
    validators: [oneOf(decimalModes)],
    documentation: 'DECIMAL as exact bytes (precise), as text (string) or as double.',
  },
  {
    name: 'time.precision.mode',
    type: 'STRING',
    defaultValue: 'adaptive_time_microseconds',
    group: 'Connector',
    validators: [oneOf(timePrecisionModes)],
    documentation: 'Units and types of DATE, TIME and DATETIME.',
  },
  {
    name: 'bigint.unsigned.handling.mode',
    type: 'STRING',
    defaultValue: 'long',
    group: 'Connector',
    validators: [oneOf(bigintUnsignedModes)],
    documentation: 'BIGINT UNSIGNED as int64, negative above 2^63-1 (long), or exact (precise).',
  },
  {
    name: 'binary.handling.mode',
    type: 'STRING',
    defaultValue: 'bytes',
    group: 'Connector',
    validators: [oneOf(binaryModes)],
    documentation: 'BINARY and BLOB as bytes, or as text in base64, base64-url-safe or hex.',
  },
  {
    name: 'enable.time.adjuster',
    type: 'BOOLEAN',
    defaultValue: 'true',
    group: 'Connector',
    documentation: 'Moves years 0 to 99 of DATE and DATETIME to 1970 to 2069.',
  },
]

function historyKey(what: string): Pick<ConfigKey, 'name' | 'aliases' | 'type' | 'importance' | 'group'> {
  return {
    name: `schema.history.internal.kafka.${what}`,
    aliases: [`schema.history.internal.broker.${what}`],
    type: 'STRING',
    importance: 'HIGH',
    group: 'History Storage',
  }
}

const historyKeys: readonly ConfigKey[] = [
  {
    ...historyKey('topic'),
    validators: [topicName],
    documentation: 'Topic in which the history of table definitions is kept. Not to be shared between connectors.',
  },
  {
    ...historyKey('bootstrap.servers'),
    documentation: 'Brokers, host:port, that keep the history of table definitions.',
  },
  {
    name: 'schema.history.internal.store.only.captured.tables.ddl',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'History Storage',
    documentation:
      'The schema history and the schema change topic have the captured tables only. Default: all tables of the captured databases.',
  },
  {
    name: 'schema.history.internal.store.only.captured.databases.ddl',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'History Storage',
    documentation:
      'Accepted for compatibility: the schema history has nothing of databases that are not captured, whatever the value.',
  },
  {
    name: 'schema.history.internal.skip.unparseable.ddl',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'History Storage',
    documentation:
      'A statement that the parser does not understand leaves the definitions of the tables that it names as they were, when the definitions after it cannot be known. Default: such tables stop.',
  },
  {
    name: 'include.schema.changes',
    type: 'BOOLEAN',
    defaultValue: 'true',
    group: 'Connector',
    documentation: 'Write DDL statements to the topic `<topic.prefix>`.',
  },
]

const engineKeys: readonly ConfigKey[] = [
  {
    name: 'tombstones.on.delete',
    type: 'BOOLEAN',
    defaultValue: 'true',
    group: 'Connector',
    documentation: 'Follow each delete event by a tombstone with its key.',
  },
  {
    name: 'heartbeat.interval.ms',
    type: 'INT',
    defaultValue: '0',
    group: 'Connector',
    validators: [(value) => (Number(value) >= 0 ? null : 'A non-negative integer is expected')],
    documentation:
      'Time between records of the heartbeat topic, which also move the stored offset while no captured table changes. 0: none.',
  },
  {
    name: 'heartbeat.action.query',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    documentation:
      'Statement that runs before each heartbeat, for example one that writes a row, so that the binlog has changes to read.',
  },
  {
    name: 'provide.transaction.metadata',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'Connector',
    documentation:
      'Write begin and end of each transaction to the transaction topic, and number the events of a transaction in their block `transaction`.',
  },
  {
    name: 'source.struct.version',
    type: 'STRING',
    defaultValue: null,
    group: 'Events',
    validators: [oneOf(RECORD_FORMATS)],
    documentation:
      'Form of the events: v1 has the source struct of version 1, v2 is the form of Debezium 3.6. Not set: that of the stored offset, or else of the schema history, which is v2 when Debezium wrote it; without these the worker’s source.struct.version, or v1.',
  },
  {
    name: 'schema.name.adjustment.mode',
    type: 'STRING',
    defaultValue: 'none',
    group: 'Events',
    validators: [oneOf(nameAdjustments)],
    documentation:
      'What becomes of names of schemas that Avro does not take: none leaves them, avro puts an underscore for what is wrong, avro_unicode its number (_u002d).',
  },
  {
    name: 'field.name.adjustment.mode',
    type: 'STRING',
    defaultValue: 'none',
    group: 'Events',
    validators: [oneOf(nameAdjustments)],
    documentation:
      'The same for names of columns. With none, and an Avro converter in key.converter or value.converter of the connector, it is avro.',
  },
  {
    name: 'extended.headers.enabled',
    type: 'BOOLEAN',
    defaultValue: 'true',
    group: 'Connector',
    documentation: 'In the record format v2: name connector, task and run in headers of each event.',
  },
  {
    name: 'event.processing.failure.handling.mode',
    type: 'STRING',
    defaultValue: 'fail',
    group: 'Connector',
    validators: [oneOf(['fail', 'warn', 'skip', 'ignore'])],
    documentation:
      'What to do with an event that cannot be processed: end the task (fail), or leave it out with (warn) or without (skip) a warning.',
  },
  {
    name: 'max.batch.size',
    type: 'INT',
    defaultValue: '2048',
    group: 'Connector',
    validators: [(value) => (Number(value) > 0 ? null : 'A positive, non-zero integer value is expected')],
    documentation: 'Most rows handled in one go.',
    difference: { tag: 'differently', how: 'A poll returns 256 records at most; larger values are as 256.' },
  },
  {
    name: 'max.queue.size',
    type: 'INT',
    defaultValue: '8192',
    group: 'Connector',
    validators: [
      (value, all) =>
        Number(value) > Number(all.get('max.batch.size') ?? 0) ? null : 'Must be larger than the maximum batch size',
    ],
    documentation: 'Accepted for compatibility: memory is bounded in bytes, by producer.override.buffer.memory.',
    difference: {
      tag: 'no effect',
      why: 'Memory is bounded in bytes, by producer.override.buffer.memory.',
    },
  },
  {
    name: 'poll.interval.ms',
    type: 'LONG',
    defaultValue: '500',
    group: 'Connector',
    validators: [(value) => (Number(value) > 0 ? null : 'A positive, non-zero long value is expected')],
    documentation:
      'Longest wait for new events before other work gets its turn, in milliseconds. Events never wait for it.',
    difference: { tag: 'differently', how: 'Events never wait for it; values above 5000 are as 5000.' },
  },
]
