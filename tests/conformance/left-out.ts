/**
 * The variants of the golden scripts that no case of Avro runs, and why: golden-coverage.test.ts looks that these are all, and that what
 * is said of a property is so.
 */
export interface LeftOut {
  readonly script: string
  /** The empty name is the script without a variant. */
  readonly variants: readonly string[]
  readonly why:
    /** The property is refused, with that value. */
    | { readonly refused: string }
    /** The property is passed over, so that it would be the script without it. */
    | { readonly ignored: string }
    /** In Avro it is another variant once more. */
    | { readonly sameAs: string; readonly because: string }
}

const ONLY_CAPTURED = 'schema.history.internal.store.only.captured'
const ONLY_CAPTURED_TABLES = `${ONLY_CAPTURED}.tables.ddl`

export const leftOut: readonly LeftOut[] = [
  { script: '13_ddl_tables', variants: ['with-truncate'], why: { refused: 'skipped.operations' } },
  { script: '13_ddl_tables', variants: ['captured-only'], why: { ignored: ONLY_CAPTURED_TABLES } },
  { script: '15_keys', variants: ['custom-key'], why: { refused: 'message.key.columns' } },
  { script: '16_transactions', variants: ['metadata'], why: { refused: 'provide.transaction.metadata' } },
  { script: '17_columns', variants: ['include'], why: { refused: 'column.include.list' } },
  { script: '17_columns', variants: ['exclude', 'exclude-skip'], why: { refused: 'column.exclude.list' } },
  { script: '17_columns', variants: ['mask'], why: { refused: 'column.mask.with.5.chars' } },
  {
    script: '17_columns',
    variants: ['hash'],
    why: { refused: 'column.mask.hash.SHA-256.with.salt.CzQMA0cB5K' },
  },
  { script: '17_columns', variants: ['truncate'], why: { refused: 'column.truncate.to.3.chars' } },
  { script: '17_columns', variants: ['propagate'], why: { refused: 'column.propagate.source.type' } },
  { script: '17_columns', variants: ['propagate-type'], why: { refused: 'datatype.propagate.source.type' } },
  { script: '17_columns', variants: ['comments'], why: { refused: 'include.schema.comments' } },
  { script: '18_filters', variants: ['store-captured'], why: { ignored: ONLY_CAPTURED_TABLES } },
  { script: '18_filters', variants: ['store-captured-db'], why: { ignored: `${ONLY_CAPTURED}.databases.ddl` } },
  { script: '19_snapshot_modes', variants: ['never', 'config-based'], why: { refused: 'snapshot.mode' } },
  {
    script: '19_snapshot_modes',
    variants: ['schema_only'],
    why: { sameAs: 'no_data', because: 'it is the name that the mode had before; the reference refuses it' },
  },
  {
    script: '19_snapshot_modes',
    variants: ['schema_only_recovery'],
    why: { sameAs: 'recovery', because: 'it is the name that the mode had before; the reference refuses it' },
  },
  {
    script: '22_smt_topics',
    variants:
      'unwrap unwrap-rewrite unwrap-rewrite-tomb unwrap-tombstone unwrap-legacy router logical-router filter-predicate'.split(
        ' ',
      ),
    why: { refused: 'transforms' },
  },
  { script: '22_smt_topics', variants: ['regex-naming'], why: { refused: 'topic.naming.strategy' } },
  { script: '22_smt_topics', variants: ['skip-ops', 'skip-none'], why: { refused: 'skipped.operations' } },
  { script: '22_smt_topics', variants: ['converters'], why: { refused: 'converters' } },
  {
    script: '22_smt_topics',
    variants: ['no-schemas', 'numeric-nodefault'],
    why: { sameAs: 'headers-off', because: 'its options are those of the JSON converter' },
  },
  {
    script: '25_incremental_snapshot',
    variants: ['insert_delete'],
    why: { ignored: 'incremental.snapshot.watermarking.strategy' },
  },
  { script: '26_snapshot_options', variants: ['include-list'], why: { refused: 'snapshot.include.collection.list' } },
  { script: '26_snapshot_options', variants: ['overrides'], why: { refused: 'snapshot.select.statement.overrides' } },
  { script: '97_rename_into_capture', variants: ['captured-only'], why: { ignored: ONLY_CAPTURED_TABLES } },
]
