import { ANY, type DeliberateDifference, record, schema, structure } from './difference-rules.ts'

/** Where record format v2 differs from the reference, in addition to the differences of every format. */
export const deliberateDifferencesV2: readonly DeliberateDifference[] = [
  {
    defect: 60,
    reason: 'a tombstone is useless without a key',
    recordings: /^15_keys~custom-key$/,
    rules: [record('missing', /^PFX\.g_keys\.uniq_null$/, /^tombstone \(absent\)$/)],
  },
  {
    reason: 'a snapshot reads the columns of the key although values exclude them; the reference fills in a default',
    recordings: /^17_columns~exclude$/,
    rules: [{ kind: 'payload', topic: /^PFX\.g_col\.p$/, path: /^key\.id$/, texts: ['0', /^[12]$/] }],
  },
  {
    defect: 62,
    reason: 'a dropped key changes its table, so the record names the table',
    recordings: /^15_keys/,
    rules: [{ kind: 'payload', topic: /^PFX$/, path: /^source\.table$/, texts: ['""', '"k3"'] }],
  },
  {
    reason:
      'the position in the history is after the statement, so a restart applies the statement; in the reference it is before',
    recordings: /^m0[14]_/,
    rules: [{ kind: 'payload', topic: /^PFX-history$/, path: /^position\.event$/, texts: ['1', '(absent)'] }],
  },
  {
    defect: 63,
    reason: 'one row of a snapshot is marked as the first, even when the first table is empty',
    recordings: /^(19_snapshot_modes(?!~(no_data|recovery)$)|26_snapshot_options~table-order$)/,
    rules: [
      {
        kind: 'payload',
        topic: /^PFX\.(g_sm\.one|g_so\.b)$/,
        path: /^source\.snapshot$/,
        label: /^r \{"id":1\}$/,
        texts: ['"first_in_data_collection"', '"first"'],
      },
    ],
  },
  {
    reason:
      'a comment becomes part of a schema under include.schema.comments only; for MariaDB the reference does it anyway',
    recordings: /^m06_binlog_compress$/,
    rules: [
      schema('g_mbc.bc2', 'another_long_column_name_for_compression', /^doc="a+" optional=true/, /^optional=true/),
      structure('columns\\[another_long_column_name_for_compression\\]\\.comment', /^"a+"$/, 'null'),
    ],
  },
  {
    reason:
      'provide.transaction.metadata is refused by this version: no transaction block, and nothing of it in offsets',
    recordings: /^m04_gtid_tx$/,
    rules: [
      { kind: 'payload', topic: /^PFX\.g_mg\.[abc]$/, path: /^transaction\.\w+$/, texts: [ANY, '(absent)'] },
      { kind: 'payload', topic: /^PFX\.g_mg\.[abc]$/, path: /^transaction$/, texts: ['(absent)', 'null'] },
      { kind: 'payload', topic: /^PFX-history$/, path: /^position\.transaction_id$/, texts: [ANY, '(absent)'] },
      {
        kind: 'offset',
        topic: /^$/,
        path: /^offset$/,
        texts: [/ server_id=<number> event=3$/, / row=1 server_id=<number> event=2$/],
      },
    ],
  },
]
