import type { GoldenCase } from './conformance.ts'

/** A few of each kind, which run for every change of the code. */
export const quickCases: readonly GoldenCase[] = [
  { name: '00_smoke', selectsRows: true },
  { name: '01_integers', variants: ['', 'bigint-precise'] },
  { name: '12_ddl_alter' },
  { name: '15_keys' },
  { name: '20_restart_offline' },
  { name: 'm01_types' },
  { name: 'm92_create_or_replace', selectsRows: true },
]

/** A few in record format v2, in which all of each record is compared. */
export const quickCasesV2: readonly GoldenCase[] = [
  { name: '00_smoke', format: 'v2' },
  { name: '22_smt_topics', format: 'v2', variants: ['converters'] },
  { name: 'm01_types', format: 'v2', endsIn: 'PFX.g_mt.ty2' },
]

/** The others in record format v2. */
export const moreCasesV2: readonly GoldenCase[] = [
  { name: '20_restart_offline', format: 'v2' },
  { name: '01_integers', format: 'v2', variants: ['', 'bigint-precise'] },
  { name: '15_keys', format: 'v2', variants: ['', 'no-tombstones', 'custom-key'] },
  {
    name: '17_columns',
    format: 'v2',
    variants: 'include exclude exclude-skip mask hash truncate propagate propagate-type comments'.split(' '),
  },
  {
    name: '22_smt_topics',
    format: 'v2',
    variants:
      'unwrap unwrap-rewrite unwrap-rewrite-tomb unwrap-tombstone router logical-router regex-naming skip-ops skip-none numeric-nodefault headers-off filter-predicate'.split(
        ' ',
      ),
  },
  { name: '21_include_query', format: 'v2' },
  { name: '92_json_partial', format: 'v2', selectsRows: true },
  { name: 'm08_annotate_charsets', format: 'v2' },
]

/**
 * Their transaction topic has the transactions of the whole server, also those without a captured row: nothing else may
 * run on it.
 */
export const exclusiveCasesV2: readonly GoldenCase[] = [
  {
    name: '16_transactions',
    format: 'v2',
    variants: ['', 'metadata'],
    // An XA transaction is rolled back.
    fewer: { 'PFX.g_tx.a': 1 },
  },
  { name: 'm04_gtid_tx', format: 'v2' },
]

/** The others in record format v1. */
export const moreCases: readonly GoldenCase[] = [
  { name: '02_decimals', variants: ['', 'double', 'string'] },
  { name: '03_bits' },
  { name: '04_temporal', variants: ['', 'connect', 'isostring', 'microseconds', 'nanoseconds'] },
  { name: '05_temporal_defaults', variants: ['', 'connect', 'isostring'] },
  { name: '06_strings' },
  { name: '07_binary', variants: ['', 'base64', 'base64-url-safe', 'hex'] },
  { name: '08_enum_set' },
  { name: '09_json' },
  { name: '10_spatial_vector' },
  { name: '11_generated_invisible' },
  { name: '13_ddl_tables', variants: ['', 'with-truncate', 'captured-only'] },
  { name: '14_identifiers_comments', variants: ['', 'avro', 'avro-unicode'] },
  { name: '15_keys', variants: ['no-tombstones'] },
  {
    name: '16_transactions',
    variants: ['', 'metadata'],
    rowsOnly: true,
  },
  {
    name: '19_snapshot_modes',
    variants: [
      '',
      ...'no_data initial_only always when_needed recovery config-based locking-none locking-extended'.split(' '),
    ],
    fails: { recovery: /^FAILED .*Could not find existing redo log information/ },
  },
  { name: '21_include_query' },
  { name: '22_smt_topics', variants: ['delimiter', 'prefix-odd', 'prefix-odd-avro', 'headers-off'] },
  { name: '23_heartbeat', variants: ['', 'custom-topic', 'notifications'] },
  { name: '24_failures', variants: ['', 'skip', 'warn'], fails: { '': /^FAILED .*Received DML 'INSERT INTO t / } },
  {
    name: '26_snapshot_options',
    variants: ['', 'order-desc', 'fetch-size', 'table-order', 'include-list', 'overrides'],
  },
  { name: '27_charsets_db', selectsRows: true },
  { name: '90_defect_zerofill_decimal', selectsRows: true },
  { name: '91_zerofill_streaming', selectsRows: true },
  { name: '92_json_partial', selectsRows: true },
  { name: '93_defect_invalid_dates_snapshot', selectsRows: true },
  { name: '94_invalid_dates_streaming', variants: ['', 'connect'], selectsRows: true },
  { name: '95_defect_negative_time_connect', variants: ['connect', 'isostring'] },
  { name: '96_ddl_exotic' },
  { name: '97_rename_into_capture', variants: ['', 'captured-only'] },
  { name: '98_keyword_columns', selectsRows: true },
  { name: '99_row_image_minimal' },
  { name: 'm02_temporal', variants: ['', 'connect', 'isostring'] },
  { name: 'm03_ddl' },
  { name: 'm04_gtid_tx', rowsOnly: true },
  { name: 'm05_compressed_columns' },
  { name: 'm06_binlog_compress' },
  { name: 'm07_inet', variants: ['', 'skip'] },
  { name: 'm08_annotate_charsets' },
  { name: 'm91_year_zero_snapshot', selectsRows: true },
  { name: 'm93_system_versioned', selectsRows: true },
]

/** Options of the JSON converter. */
export const jsonCases: readonly GoldenCase[] = [
  { name: '22_smt_topics', variants: ['no-schemas', 'numeric-nodefault'] },
]

/** The connectors of both variants would write into the same signal table: one after the other. */
export const signalCases: readonly GoldenCase[] = [
  { name: '25_incremental_snapshot' },
  { name: '25_incremental_snapshot', variants: ['insert_delete'] },
  { name: '25_incremental_snapshot', format: 'v2' },
]

/** They capture or name databases of other scripts: nothing else may run on their server. */
export const exclusiveCases: readonly GoldenCase[] = [
  {
    name: '18_filters',
    variants: [
      'tables-include',
      'tables-exclude',
      'db-exclude',
      'db-include-regex',
      'store-captured',
      'store-captured-db',
      'no-schema-changes',
    ],
  },
]
