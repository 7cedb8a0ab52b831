import type { ConfigKey } from '@tributary/connect-api'
import { regexListRefusal } from '@tributary/connector-kit'

const regexList: ConfigKey['validators'] = [(value) => (value === null ? null : regexListRefusal(String(value)))]

const MODES: readonly string[] = ['fail', 'warn', 'skip', 'ignore']

/** Properties that decide what of the binlog becomes events. */
export const streamKeys: readonly ConfigKey[] = [
  {
    name: 'gtid.source.includes',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: regexList,
    documentation:
      'Regular expressions, separated by commas, of the servers whose changes become events: the UUID of a GTID, on MariaDB domain-server. Default: all.',
  },
  {
    name: 'gtid.source.excludes',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [
      (value, all) =>
        value !== null && (all.get('gtid.source.includes') ?? null) !== null
          ? 'Cannot specify GTID excludes when includes are provided.'
          : null,
      ...regexList,
    ],
    documentation: 'The same of the servers whose changes do not become events.',
  },
  {
    name: 'gtid.source.filter.dml.events',
    type: 'BOOLEAN',
    defaultValue: 'true',
    group: 'Connector',
    documentation:
      'With false, the two lists before this have no effect: offsets always have the GTIDs of all servers.',
  },
  {
    name: 'table.ignore.builtin',
    type: 'BOOLEAN',
    defaultValue: 'true',
    group: 'Connector',
    documentation:
      'Tables of the databases mysql and sys are not captured, whatever the lists select. Those of information_schema and performance_schema never are: the binlog has no changes of them.',
  },
  {
    name: 'inconsistent.schema.handling.mode',
    type: 'STRING',
    defaultValue: 'fail',
    group: 'Connector',
    validators: [
      (value) => (MODES.includes(String(value).toLowerCase()) ? null : `Value must be one of ${MODES.join(', ')}`),
    ],
    documentation:
      'What to do with rows of a table whose definition at that place cannot be found: stop the table (fail), or leave them out with (warn) or without (skip) a warning. Where it is not set, event.processing.failure.handling.mode decides.',
  },
]
