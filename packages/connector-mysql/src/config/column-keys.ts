import type { ConfigKey, ParsedValue, Validator } from '@tributary/connect-api'
import { regexListRefusal } from '@tributary/connector-kit'
import { nodeAlgorithm } from '../columns/column-mask.ts'
import { keyColumnsRefusal } from '../columns/key-columns.ts'
import { HASH } from '../columns/mask-rules.ts'

const regexList: Validator = (value) => (typeof value === 'string' ? regexListRefusal(value) : null)

function exclusive(other: string): Validator {
  return (value, all) =>
    value !== null && (all.get(other) ?? null) !== null ? `"${other}" is already specified` : null
}

const OPERATIONS: ReadonlySet<string> = new Set(['c', 'u', 'd', 't', 'r', 'none'])

function operations(value: ParsedValue): string | null {
  const listed = String(value ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
  const unknown = listed.find((each) => !OPERATIONS.has(each))
  if (unknown !== undefined) return `Invalid operation: ${unknown}; c, u, d, t, r and none are operations`
  return listed.length > 1 && listed.includes('none')
    ? '"none" cannot be specified with other skipped operation types'
    : null
}

/** The properties that choose columns, keys and operations, with the names and defaults of Debezium 3.6. */
export const columnKeys: readonly ConfigKey[] = [
  {
    name: 'column.include.list',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [exclusive('column.exclude.list'), regexList],
    documentation:
      'Regular expressions, separated by commas, of the columns that events contain, as database.table.column. Default: all. Keys keep their columns.',
  },
  {
    name: 'column.exclude.list',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [exclusive('column.include.list'), regexList],
    documentation:
      'Regular expressions, separated by commas, of the columns that events leave out, as database.table.column. Keys keep their columns.',
  },
  {
    name: 'column.propagate.source.type',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [regexList],
    documentation:
      'Regular expressions, separated by commas, of columns (database.table.column) whose schemas have the type, length and name of the column as parameters.',
  },
  {
    name: 'datatype.propagate.source.type',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [regexList],
    documentation: 'The same for types, as database.table.TYPE: `.+\\.VARCHAR` for all columns of the type VARCHAR.',
  },
  {
    name: 'message.key.columns',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    validators: [(value) => (typeof value === 'string' ? keyColumnsRefusal(value) : null)],
    documentation:
      'Keys of events instead of primary keys: `<table expression>:<column>,<column>`, separated by semicolons. The columns must identify a row.',
  },
  {
    name: 'converters',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    documentation:
      'Names of converters, separated by commas: `NAME.type` is the class of one, `NAME.…` are its options. The first converter that is for a column determines its form in events.',
  },
  {
    name: 'post.processors',
    type: 'STRING',
    defaultValue: null,
    group: 'Connector',
    documentation:
      'Names of post processors, separated by commas: `post.processors.NAME.type` is the class of one, `post.processors.NAME.…` are its options. They change the values of events before transformations.',
  },
  {
    name: 'skipped.operations',
    type: 'STRING',
    defaultValue: 't',
    group: 'Connector',
    validators: [operations],
    documentation:
      'Operations without events, separated by commas: c (insert), u (update), d (delete), t (truncate); none skips nothing.',
  },
  {
    name: 'skip.messages.without.change',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'Connector',
    documentation: 'Whether updates that change none of the columns of events yield no event.',
  },
  {
    name: 'include.query',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'Events',
    documentation:
      'Events have the statement that changed the row in source.query, if the server writes statements to its binlog. It contains values in full, also those of masked and excluded columns.',
  },
  {
    name: 'include.schema.comments',
    type: 'BOOLEAN',
    defaultValue: 'false',
    group: 'Connector',
    documentation: 'Whether the schema history and schemas of events contain the comments of tables and columns.',
  },
]

/** Names that contain a number, an algorithm or a salt. Any other name with the prefix is a mistake. */
const NAMES = /^column\.(truncate\.to\.\d+\.chars|mask\.with\.\d+\.chars|mask\.hash\..+)$/
export const NAMED_COLUMN_PROPERTY: RegExp = /^column\.(truncate|mask)\./

/** Refusals of `column.truncate.…` and `column.mask.…`: their names are not listed in a definition. */
export function namedColumnRefusals(
  config: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const refusals: Record<string, readonly string[]> = {}
  for (const [name, value] of Object.entries(config)) {
    if (!NAMED_COLUMN_PROPERTY.test(name)) continue
    const reason = nameRefusal(name) ?? regexListRefusal(value)
    if (reason !== null) refusals[name] = [`The '${name}' value is invalid: ${reason}`]
  }
  return refusals
}

/** A misspelt mask would publish what it hides. */
function nameRefusal(name: string): string | null {
  if (!NAMES.test(name)) {
    return 'The name is not column.truncate.to.N.chars, column.mask.with.N.chars or column.mask.hash[.v2].ALGORITHM.with.salt.SALT, so that it would change no column'
  }
  if (!name.startsWith('column.mask.hash.')) return null
  const [, , algorithm] = HASH.exec(name) ?? []
  if (algorithm === undefined) return 'The name is not column.mask.hash[.v2].ALGORITHM.with.salt.SALT'
  return nodeAlgorithm(algorithm) === null ? `${algorithm} is not a hash algorithm; SHA-256, for example, is one` : null
}
