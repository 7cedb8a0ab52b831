import { quoted } from '../../tables/quoted-name.ts'
import { finding, type Finding } from '../finding.ts'
import { unmatchedEntries } from '../list-entries.ts'
import type { Check, Subject } from './check.ts'
import { listed } from './privilege-checks.ts'

export const includes: Check = {
  title: 'Include lists',
  codes: ['NOTHING_CAPTURED', 'INCLUDES_UNMATCHED'],
  find(subject) {
    const { catalogue, facts } = subject
    // The check of SELECT reports tables that the user may not see.
    if (catalogue === null || !catalogue.isListed || catalogue.unreadable.length > 0) return []
    const { account, address } = facts
    const unmatched = [
      ...unmatchedOf(subject, 'database', catalogue.databases),
      ...unmatchedOf(
        subject,
        'table',
        catalogue.captured.map(({ database, table }) => `${database}.${table}`),
      ),
    ]
    if (catalogue.captured.length > 0 || unmatched.length > 0) return unmatched
    return [finding('NOTHING_CAPTURED', { account, address })]
  },
  describe: ({ catalogue }) => {
    if (catalogue === null) return 'not checked'
    if (catalogue.captured.length === 0 && catalogue.unreadable.length > 0) return 'not known, nothing may be read'
    const { length } = catalogue.captured
    return length === 1 ? '1 table captured' : `${length} tables captured`
  },
}

function unmatchedOf(
  { config, facts }: Subject,
  kind: 'database' | 'table',
  names: readonly string[],
): readonly Finding[] {
  const property = `${kind}.include.list`
  const entries = unmatchedEntries(config.properties[property], names)
  if (entries.length === 0) return []
  const { account, address } = facts
  const isDatabase = kind === 'database'
  const query = isDatabase ? 'SHOW DATABASES' : 'SHOW TABLES'
  const form = isDatabase ? 'the name of a database' : 'database.table'
  return [
    finding(
      'INCLUDES_UNMATCHED',
      { kind, account, address, entries: entries.join(', '), property, query, form },
      { property },
    ),
  ]
}

export const keys: Check = {
  title: 'Tables without a key',
  codes: ['TABLE_WITHOUT_KEY'],
  find({ catalogue }) {
    const keyless = catalogue?.keyless ?? []
    const [first] = keyless
    if (first === undefined) return []
    const shown = keyless.slice(0, SHOWN_MAX)
    const statements = shown
      .map(
        ({ database, table }) =>
          `ALTER TABLE ${quoted(database)}.${quoted(table)} ADD COLUMN row_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY;`,
      )
      .join(' ')
    return [finding('TABLE_WITHOUT_KEY', { tables: listed(shown.map(String), keyless.length), statements })]
  },
  describe: ({ catalogue }) => `${catalogue?.keyless.length ?? 0}`,
}

export const columns: Check = {
  title: 'Columns that cannot be read',
  codes: ['COLUMNS_UNREADABLE', 'COLUMNS_RAW'],
  find({ catalogue, config }) {
    const found = catalogue?.unreadableColumns ?? []
    if (found.length === 0) return []
    const shown = found
      .slice(0, SHOWN_MAX)
      .map(({ table, column, unsupported }) => `${table.toString()}.${column} (${unsupported})`)
    const code = config.failureHandling === 'fail' ? 'COLUMNS_UNREADABLE' : 'COLUMNS_RAW'
    return [finding(code, { columns: listed(shown, found.length) })]
  },
  describe: ({ catalogue }) => `${catalogue?.unreadableColumns.length ?? 0}`,
}

/** More would not be read. */
const SHOWN_MAX = 20
