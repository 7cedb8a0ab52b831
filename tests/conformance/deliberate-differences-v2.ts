import { ANY, type DeliberateDifference, record, schema, structure, topicOf } from './difference-rules.ts'

/** Rows of XA transactions. */
const XA_ROW = /^c \{"id":6[01]\}$/

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
    recordings: /^m0[148]_/,
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
    defect: 65,
    reason:
      'an XA transaction is a transaction: its events have the block, and begin and end are reported, at XA COMMIT',
    recordings: /^16_transactions~metadata$/,
    rules: [
      { kind: 'payload', topic: /^PFX\.g_tx\.a$/, path: /^transaction$/, label: XA_ROW, texts: ['null', '(absent)'] },
      { kind: 'payload', topic: /^PFX\.g_tx\.a$/, path: /^transaction\.\w+$/, label: XA_ROW, texts: ['(absent)', ANY] },
      record('extra', /^PFX\.transaction$/, /^BEGIN null null$/),
      record('extra', /^PFX\.transaction$/, /^END 1 \[\{"data_collection":"g_tx\.a","event_count":1\}\]$/),
    ],
  },
  {
    defect: 66,
    reason: 'a begin has an end: the reference reports the begin of statements and of XA PREPARE, which have none',
    recordings: /^m04_gtid_tx$/,
    rules: [
      record('missing', /^PFX\.transaction$/, /^BEGIN null null$/),
      record('extra', /^PFX\.transaction$/, /^END 1 \[\{"data_collection":"g_mg\.a","event_count":1\}\]$/),
      { kind: 'payload', topic: /^PFX-history$/, path: /^position\.transaction_id$/, texts: [ANY, '(absent)'] },
    ],
  },
  {
    reason: 'rows of a blocking snapshot do not have the thread of the last transaction: it is not in offsets',
    recordings: /^25_incremental_snapshot$/,
    rules: [
      {
        kind: 'payload',
        topic: topicOf('g_inc.s'),
        path: /^source\.thread$/,
        label: /^r \{"id":[45]\}$/,
        texts: ['<number>', 'null'],
      },
    ],
  },
  {
    reason: 'the position of the end is after the transaction, so that a restart does not repeat it',
    recordings: /^(16_transactions~metadata|m04_gtid_tx)$/,
    rules: [
      {
        kind: 'offset',
        topic: /^$/,
        path: /^offset$/,
        texts: [/^transaction_id=.* event=3\b/, / row=1 server_id=<number> event=2 transaction_id=.*=1$/],
      },
    ],
  },
]
