import { atLeast, type ConfigKey, type ConfigValues, type Validator } from '@tributary/connect-api'
import { regexListRefusal } from '@tributary/connector-kit'
import { between, oneOf, supported, text } from './key-validators.ts'
import { type ConfiguredSnapshot, snapshotModeNames } from './snapshot-mode.ts'

/** In the order in which Debezium lists them. */
const MODES_OF_SNAPSHOT = [
  'always',
  'initial_only',
  'configuration_based',
  'when_needed',
  'initial',
  'custom',
  'no_data',
  'recovery',
]
/** Supported modes that Debezium 3.6 no longer has. */
const OLD_MODES_OF_SNAPSHOT = snapshotModeNames.filter((name) => !MODES_OF_SNAPSHOT.includes(name))

/** More connections than any server gives a connector; 32 are used. */
const SNAPSHOT_THREADS_MAX = 1_000

const nonNegative: Validator = (value) =>
  value === null || Number(value) >= 0 ? null : 'A non-negative integer is expected'

/** Why the value `custom` is refused. */
const CUSTOM = 'names a Java class of your own, and Tributary runs no Java'

/** `snapshot.tables.order.by.row.count` */
export type RowCountOrder = 'disabled' | 'ascending' | 'descending'

/**
 * `snapshot.new.tables`: whether tables are copied that are added to the captured ones by a change of the lists (`auto`),
 * and also those that a statement renames to a captured name (`renamed`).
 */
export type NewTables = 'auto' | 'off' | 'renamed'

const NEW_TABLES: readonly NewTables[] = ['auto', 'off', 'renamed']
/** Of releases of Debezium that had the property: a second reader of the binlog copied them. */
const OLD_NEW_TABLES = 'parallel'

export function newTables(values: ConfigValues): NewTables {
  const value = values.string('snapshot.new.tables').toLowerCase()
  return NEW_TABLES.find((each) => each === value) ?? 'auto'
}

const ROW_COUNT_ORDERS: readonly RowCountOrder[] = ['descending', 'ascending', 'disabled']

const MODE = 'snapshot.mode.configuration.based'

const CONFIGURED_PARTS: Readonly<Record<string, string>> = {
  'snapshot.data': 'rows and structure are read at each start',
  'snapshot.schema':
    'the structure is read at each start: at the first one to stream from there, later to rebuild the schema history',
  'start.stream': 'changes are read after that',
  'snapshot.on.schema.error': 'a schema history that is missing is rebuilt',
  'snapshot.on.data.error': 'changes that the server has purged lead to a new snapshot',
}

/** The properties of snapshots, with the names and defaults of Debezium 3.6. */
export const snapshotKeys: readonly ConfigKey[] = [
  {
    name: 'snapshot.mode',
    type: 'STRING',
    defaultValue: 'initial',
    group: 'Connector',
    validators: [oneOf(MODES_OF_SNAPSHOT, OLD_MODES_OF_SNAPSHOT), supported(snapshotModeNames, { custom: CUSTOM })],
    documentation:
      'When to take a snapshot, and of what. initial: when there is no stored offset, or the last snapshot did not end; initial_only: the same, without streaming after it; when_needed: the same, and when the server has the stored position no more; always: at each start; no_data: as initial, but of the structure only, without rows; recovery: the schema history is built anew of the tables as they are now, and the stream continues from the stored offset; never: no snapshot, the stream begins with the oldest binlog file of the server; configuration_based: as snapshot.mode.configuration.based.… determine. Debezium’s custom is refused.',
  },
  {
    name: 'snapshot.locking.mode',
    type: 'STRING',
    defaultValue: 'minimal',
    group: 'Connector',
    validators: [supported(['minimal', 'extended', 'none'], { custom: CUSTOM })],
    documentation:
      'How long the snapshot holds the global read lock: until the schema is read (minimal), to its end (extended), not at all (none). Without a lock, and with minimal where the user has neither RELOAD nor LOCK TABLES, rows are copied in chunks while the stream runs.',
  },
  {
    name: 'snapshot.max.threads',
    type: 'INT',
    defaultValue: '1',
    group: 'Connector',
    validators: [
      (value) => (Number(value) > 0 ? null : 'A positive, non-zero integer value is expected'),
      between(1, SNAPSHOT_THREADS_MAX),
    ],
    documentation:
      'Connections that read rows at the same time, at most 32, all of them as of the position of the snapshot. A large table with an integer as primary key is read in parts. In incremental snapshots, and initial ones without a lock, so many chunks are read at the same time.',
  },
  {
    name: 'snapshot.lock.timeout.ms',
    type: 'LONG',
    defaultValue: '10000',
    group: 'Connector',
    validators: [atLeast(0)],
    documentation: 'How long to wait for a lock, in milliseconds.',
  },
  {
    name: 'snapshot.include.collection.list',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [(value) => (value === null ? null : regexListRefusal(text(value)))],
    documentation:
      'Regular expressions, separated by commas, of the captured tables (database.table) whose rows the snapshot reads. Default: all. The structure of all tables is read, and the stream has the changes of all captured tables.',
  },
  {
    name: 'snapshot.select.statement.overrides',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    documentation:
      'Tables (database.table), separated by commas, whose rows the snapshot selects with a statement of your own: that of the property snapshot.select.statement.overrides.DATABASE.TABLE.',
  },
  {
    name: 'snapshot.tables.order.by.row.count',
    type: 'STRING',
    defaultValue: 'disabled',
    group: 'Connector',
    validators: [oneOf(ROW_COUNT_ORDERS)],
    documentation:
      'Whether the snapshot reads the tables with the fewest rows first (ascending) or last (descending), by the estimates of the server. Default: in the order of table.include.list, then of their names.',
  },
  {
    name: 'snapshot.delay.ms',
    type: 'LONG',
    defaultValue: '0',
    group: 'Connector',
    validators: [nonNegative],
    documentation: 'How long to wait before a snapshot, in milliseconds.',
  },
  {
    name: 'streaming.delay.ms',
    type: 'LONG',
    defaultValue: '0',
    group: 'Connector',
    validators: [nonNegative],
    documentation:
      'How long to wait between the end of a snapshot and the stream, in milliseconds. Meanwhile the offset is stored, so a failure at the start of the stream does not repeat the snapshot.',
  },
  {
    name: 'snapshot.new.tables',
    type: 'STRING',
    defaultValue: 'auto',
    group: 'Connector',
    validators: [oneOf(NEW_TABLES, [OLD_NEW_TABLES])],
    documentation:
      'Whether the rows of a table are copied, while the stream continues, when a change of the include and exclude lists adds it to the captured tables: auto, off, or renamed: also when a statement renames a table that is not captured to a captured name. Not with a snapshot.mode that reads no rows. Debezium had this property until 1.5; its value parallel is auto.',
  },
  {
    name: 'snapshot.fetch.size',
    type: 'INT',
    defaultValue: null,
    group: 'Connector',
    validators: [nonNegative],
    documentation: 'Accepted for compatibility: rows are read as they arrive, whatever the size of a table.',
  },
  {
    name: 'min.row.count.to.stream.results',
    type: 'INT',
    defaultValue: '1000',
    group: 'Connector',
    validators: [nonNegative],
    documentation: 'Accepted for compatibility: rows are read as they arrive, whatever the size of a table.',
  },
  {
    name: 'snapshot.query.mode',
    type: 'STRING',
    defaultValue: 'select_all',
    group: 'Connector',
    validators: [oneOf(['select_all', 'custom']), supported(['select_all'], { custom: CUSTOM })],
    documentation: 'Only select_all: custom names a Java class.',
  },
  ...Object.entries(CONFIGURED_PARTS).map(([part, effect]): ConfigKey => ({
    name: `${MODE}.${part}`,
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'Connector',
    documentation: `With snapshot.mode=configuration_based: ${effect}.`,
  })),
]

/** The parts of the mode `configuration_based`. */
export function configuredSnapshot(values: ConfigValues): ConfiguredSnapshot {
  return {
    data: values.boolean(`${MODE}.snapshot.data`),
    schema: values.boolean(`${MODE}.snapshot.schema`),
    startsStream: values.boolean(`${MODE}.start.stream`),
    onSchemaError: values.boolean(`${MODE}.snapshot.on.schema.error`),
    onDataError: values.boolean(`${MODE}.snapshot.on.data.error`),
  }
}
