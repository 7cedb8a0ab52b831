import type { GoldenCase } from './conformance.ts'

/** A few of each kind: they run on every change. */
export const quickCases: readonly GoldenCase[] = [
  { name: '00_smoke', selectsRows: true },
  { name: '01_integers', variants: ['', 'bigint-precise'] },
  { name: '03_bits' },
  { name: '08_enum_set' },
  { name: '12_ddl_alter' },
  { name: '15_keys' },
  { name: '20_restart_offline' },
  {
    name: 'm01_types',
    columnsLeftOut: { 'PFX.g_mt.ty': ['u', 'p', 'g'], 'PFX.g_mt.ty2': ['u'] },
  },
  { name: 'm92_create_or_replace', selectsRows: true },
]

/** Record format v2, in which all of each record is compared: a few. */
export const quickCasesV2: readonly GoldenCase[] = [
  { name: '00_smoke', format: 'v2' },
  {
    name: 'm01_types',
    format: 'v2',
    endsIn: 'PFX.g_mt.ty2',
    columnsLeftOut: { 'PFX.g_mt.ty': ['u', 'p', 'g'], 'PFX.g_mt.ty2': ['u'] },
  },
]

/** Record format v2: the others. */
export const moreCasesV2: readonly GoldenCase[] = [
  { name: '20_restart_offline', format: 'v2' },
  { name: '01_integers', format: 'v2', variants: ['', 'bigint-precise'] },
  { name: '15_keys', format: 'v2', variants: ['', 'no-tombstones'] },
  { name: '16_transactions', format: 'v2', skips: /binlog_transaction_compression/ },
  { name: 'm04_gtid_tx', format: 'v2', unset: ['provide.transaction.metadata'] },
]

/** Columns of 06_strings in charsets that this version cannot decode. */
const OTHER_CHARSETS: Readonly<Record<string, readonly string[]>> = {
  'PFX.g_str.strs': 'l2 g g18 gb sj cp ej b5 kr u16 u16l u32 u2 ru w1 gr he tr th'.split(' '),
  'PFX.g_str.sdef2': ['j'],
}

/** All others. */
export const moreCases: readonly GoldenCase[] = [
  { name: '02_decimals', variants: ['', 'double', 'string'] },
  { name: '04_temporal', variants: ['', 'connect', 'isostring', 'microseconds', 'nanoseconds'] },
  { name: '05_temporal_defaults', variants: ['', 'connect', 'isostring'] },
  { name: '06_strings', columnsLeftOut: OTHER_CHARSETS },
  { name: '07_binary', variants: ['', 'base64', 'base64-url-safe', 'hex'] },
  { name: '09_json' },
  { name: '11_generated_invisible' },
  { name: '13_ddl_tables' },
  { name: '14_identifiers_comments' },
  { name: '15_keys', variants: ['no-tombstones'] },
  { name: '16_transactions', rowsOnly: true, skips: /binlog_transaction_compression/ },
  { name: '91_zerofill_streaming', selectsRows: true },
  { name: '94_invalid_dates_streaming', variants: ['', 'connect'], selectsRows: true },
  {
    name: '96_ddl_exotic',
    columnsLeftOut: { 'PFX.g_ex.e14': ['g', 'p'], 'PFX.g_ex.e21': ['v', 'w'] },
  },
  { name: '97_rename_into_capture' },
  { name: '98_keyword_columns', selectsRows: true },
  { name: 'm02_temporal', variants: ['', 'connect', 'isostring'] },
  { name: 'm03_ddl' },
  { name: 'm04_gtid_tx', rowsOnly: true, unset: ['provide.transaction.metadata'] },
  { name: 'm91_year_zero_snapshot', selectsRows: true },
  { name: 'm93_system_versioned', selectsRows: true },
]

/** These capture, or name, databases beside their own: nothing else may run on their server. */
export const lonelyCases: readonly GoldenCase[] = [
  { name: '18_filters', variants: ['tables-include', 'tables-exclude', 'db-exclude', 'db-include-regex'] },
]
