import { finding } from '../finding.ts'
import type { ServerFacts } from '../server-facts.ts'
import type { Check } from './check.ts'

export const binlogOn: Check = {
  title: 'Binary log',
  codes: ['BINLOG_OFF'],
  find: ({ facts }) => (isOff(facts, 'log_bin') ? [finding('BINLOG_OFF', { address: facts.address })] : []),
  describe: ({ facts }) => `log_bin=${valueOf(facts, 'log_bin')}`,
}

export const binlogFormat: Check = {
  title: 'Format of the binlog',
  codes: ['BINLOG_FORMAT'],
  find({ facts }) {
    // Versions that have only this format may not have the variable.
    const value = facts.variables.get('binlog_format') ?? 'ROW'
    return value.toUpperCase() === 'ROW' ? [] : [finding('BINLOG_FORMAT', { value })]
  },
  describe: ({ facts }) => `binlog_format=${valueOf(facts, 'binlog_format')}`,
}

export const rowImage: Check = {
  title: 'Row image',
  codes: ['BINLOG_ROW_IMAGE'],
  find({ facts }) {
    const value = facts.variables.get('binlog_row_image') ?? 'FULL'
    return isFullImage(value) ? [] : [finding('BINLOG_ROW_IMAGE', { address: facts.address, value })]
  },
  describe: ({ facts }) => `binlog_row_image=${valueOf(facts, 'binlog_row_image')}`,
}

/** FULL_NODUP (MariaDB 11.4) omits unchanged columns from the after image; they are filled in from the before image. */
function isFullImage(value: string): boolean {
  return /^FULL(_NODUP)?$/i.test(value)
}

export const rowMetadata: Check = {
  title: 'Row metadata',
  codes: [],
  note: 'Every value of binlog_row_metadata is suitable, also MINIMAL and NO_LOG: names, keys and signs of columns come from the statements that define the tables, which are in the binlog and in the schema history. FULL is recommended where sessions alter tables without the binlog (SET sql_log_bin=0): it lets the connector read rows that follow such a statement. With the other values it compares the definitions of tables with those of the server, and stops a table whose columns exchanged their names, unless later rows prove when.',
  find: () => [],
  describe: ({ facts }) => `binlog_row_metadata=${valueOf(facts, 'binlog_row_metadata')}; every value is suitable`,
}

export const partialJson: Check = {
  title: 'Updates of JSON columns',
  codes: ['BINLOG_PARTIAL_JSON'],
  note: 'A difference needs the document that it changes: with binlog_row_image=FULL or NOBLOB, the image before the change has it.',
  find({ facts }) {
    const value = facts.variables.get('binlog_row_image') ?? 'FULL'
    const isPartial = /PARTIAL_JSON/i.test(facts.variables.get('binlog_row_value_options') ?? '')
    return isPartial && /^MINIMAL$/i.test(value)
      ? [finding('BINLOG_PARTIAL_JSON', { address: facts.address, value })]
      : []
  },
  describe: ({ facts }) => `binlog_row_value_options=${valueOf(facts, 'binlog_row_value_options')}`,
}

const COMPRESSIONS = ['binlog_transaction_compression', 'log_bin_compress']

export const compression: Check = {
  title: 'Compression of the binlog',
  codes: [],
  note: 'Compressed transactions of MySQL (binlog_transaction_compression) and compressed events of MariaDB (log_bin_compress) are read like others.',
  find: () => [],
  describe({ facts }) {
    const known = COMPRESSIONS.filter((variable) => facts.variables.has(variable))
    if (known.length === 0) return 'the server does not compress its binlog'
    return `${known.map((variable) => `${variable}=${valueOf(facts, variable)}`).join(', ')}; every value is suitable`
  },
}

export const binlogFilters: Check = {
  title: 'Databases that the binlog omits',
  codes: ['BINLOG_FILTERED'],
  find({ facts, catalogue }) {
    const { only, without } = filtersOf(facts)
    const missing = (catalogue?.databases ?? []).filter(
      (name) => (only.length > 0 && !only.includes(name)) || without.includes(name),
    )
    if (missing.length === 0) return []
    const filters = [
      ...only.map((name) => `binlog_do_db=${name}`),
      ...without.map((name) => `binlog_ignore_db=${name}`),
    ]
    const values = { address: facts.address, databases: missing.join(', '), filters: filters.join(', ') }
    return [finding('BINLOG_FILTERED', values)]
  },
  describe({ facts }) {
    const { only, without } = filtersOf(facts)
    return only.length + without.length === 0 ? 'none' : [...only.map((n) => `all but ${n}`), ...without].join(', ')
  },
}

/** Columns of the statement for the position: file, position, Binlog_Do_DB, Binlog_Ignore_DB. */
function filtersOf({ position }: ServerFacts): { only: readonly string[]; without: readonly string[] } {
  const [row] = position.rows
  const names = (text: string | null | undefined): readonly string[] => (text ?? '').split(',').filter((n) => n !== '')
  return { only: names(row?.[2]), without: names(row?.[3]) }
}

export function isOn(facts: ServerFacts, variable: string): boolean {
  return /^(ON|1)$/i.test(facts.variables.get(variable) ?? '')
}

export function isOff(facts: ServerFacts, variable: string): boolean {
  return /^(OFF|0)$/i.test(facts.variables.get(variable) ?? '')
}

export function valueOf({ variables }: ServerFacts, name: string): string {
  return variables.get(name) ?? 'not there'
}
